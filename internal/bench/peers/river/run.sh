#!/bin/sh
# Measures River on a PostgreSQL of its own, which is started and removed here.
# Debian: apt-get install postgresql. Arguments are those of the program.
set -eu
cd "$(dirname "$0")"
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
port=25432
data=$(mktemp -d)
as=""
if [ "$(id -u)" = 0 ]; then # which PostgreSQL refuses
	chown postgres "$data"
	as="runuser -u postgres --"
fi
stop() {
	$as "$bin/pg_ctl" -D "$data/db" -m fast stop >/dev/null || true
	rm -rf "$data"
}
trap stop EXIT
$as "$bin/initdb" -D "$data/db" -U postgres -A trust >/dev/null
# Commits are synced, as by default; the rest is what a server of a machine of 8 GiB is given.
cat >>"$data/db/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
synchronous_commit = on
fsync = on
shared_buffers = 1GB
max_wal_size = 4GB
wal_compression = on
CONF
$as "$bin/pg_ctl" -D "$data/db" -w -l "$data/db/log" start >/dev/null
go run . -database "postgres://postgres@127.0.0.1:$port/postgres" "$@"
