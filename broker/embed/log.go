package embed

import (
	"fmt"
	"log/slog"
)

// A logger passes nats-server's lines on. Its notices are its diary ("Listening
// for client connections"), so they are debug lines here.
type logger struct {
	log   *slog.Logger
	fatal chan error
}

func (l *logger) Noticef(format string, v ...any) {
	l.log.Debug("nats-server: " + fmt.Sprintf(format, v...))
}
func (l *logger) Warnf(format string, v ...any) {
	l.log.Warn("nats-server: " + fmt.Sprintf(format, v...))
}
func (l *logger) Errorf(format string, v ...any) {
	l.log.Error("nats-server: " + fmt.Sprintf(format, v...))
}
func (l *logger) Debugf(format string, v ...any) {
	l.log.Debug("nats-server: " + fmt.Sprintf(format, v...))
}
func (l *logger) Tracef(string, ...any) {}

// Fatalf stands for the end of the process in nats-server, but does not end it
// here: Start returns the first one.
func (l *logger) Fatalf(format string, v ...any) {
	err := fmt.Errorf(format, v...)
	select {
	case l.fatal <- err:
	default:
		l.log.Error("nats-server: " + err.Error())
	}
}
