package schema

import (
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Tenant is the owner that a plan or a request counts for: its tenant_id; without one,
// its caller; and without either, all of those together, which is the zero Tenant.
type Tenant struct {
	ID, Caller string // tenant_id; or, where that is empty, caller
}

// maxTenant is how many bytes of a name distinguish tenants, because plans may have longer ones,
// which must not fill memory or an answer.
const maxTenant = 256

// NewTenant is the tenant of a plan or a request with these fields.
func NewTenant(id, caller string) Tenant {
	if id != "" {
		return Tenant{ID: beginning(id)}
	}
	return Tenant{Caller: beginning(caller)}
}

func beginning(name string) string {
	if len(name) <= maxTenant {
		return name
	}
	return strings.ToValidUTF8(strings.Clone(name[:maxTenant]), "")
}

// TenantOf reads the tenant of a definition from its shared members.
func TenantOf(enc wire.Encoding, shared []byte, count int) Tenant {
	last := sharedIndex("tenant_id")
	id, caller := "", ""
	for name, v := range wire.MapOf(enc, shared, count).Map() {
		switch i := sharedIndex(name); {
		case name == "caller":
			caller, _ = v.Text()
		case i == last:
			id, _ = v.Text()
		case i > last:
			return NewTenant(id, caller)
		}
	}
	return NewTenant(id, caller)
}

// String is the tenant as error messages name it.
func (t Tenant) String() string {
	switch {
	case t.ID != "":
		return fmt.Sprintf("tenant %q", t.ID)
	case t.Caller != "":
		return fmt.Sprintf("caller %q", t.Caller)
	default:
		return "those who name neither tenant_id nor caller"
	}
}
