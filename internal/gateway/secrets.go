package gateway

import "net/http"

const aSecret = api + "/secrets/{name}"

// Secrets are the operator's, their names too.
var secretRoutes = []route{
	{
		method: http.MethodGet, path: api + "/secrets", role: operator, id: "secrets.list", summary: "List the secrets, by name",
		about: "Values are never shown.",
		query: paging, result: "SecretPage", serve: relay("secrets", "list"),
	},
	{
		method: http.MethodPut, path: aSecret, role: operator, id: "secrets.put", summary: "Store a secret",
		about: "Plans of station `http` use it as `{{secret:NAME}}`, from their next call on.",
		body:  "SecretInput", status: http.StatusCreated, also: http.StatusOK, result: "SecretPut", serve: putSecret,
	},
	{
		method: http.MethodDelete, path: aSecret, role: operator, id: "secrets.delete", summary: "Delete a secret",
		about: "Calls that are made with it are refused from then on.", result: "SecretDeleted", serve: relay("secrets", "delete"),
		query: []parameter{{name: "dry_run", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "Nothing is done, and `deleted` is false: the answer has the plans that use it."}},
	},
}

func putSecret(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	v, err := g.ask(q, "secrets", "put", request)
	if err != nil {
		return answer{}, err
	}
	a := answer{raw: v.Raw()}
	if created, _ := v.Field("created").Bool(); created {
		a.status = http.StatusCreated
	}
	return a, nil
}
