package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestSecretsByREST(t *testing.T) {
	s := newSite(t, nil)
	const path = "/api/v1/secrets/partner"
	body := map[string]any{"value": "hush-hush", "hosts": []any{"API.example.org.:443", "http://10.0.0.7:8080/"}, "tenant_id": 7}
	created := s.do(http.MethodPut, path, body).want(http.StatusCreated)
	again := s.do(http.MethodPut, path, body).want(http.StatusOK)
	list := s.do(http.MethodGet, "/api/v1/secrets?limit=1", nil).want(http.StatusOK)
	for _, r := range []string{string(created.body), string(again.body), string(list.body)} {
		if strings.Contains(r, "hush") {
			t.Errorf("the value is shown: %s", r)
		}
	}
	if want := `{"secrets":[{"name":"partner","hosts":["http://10.0.0.7:8080","https://api.example.org"],"tenant_id":"7"}]}`; strings.TrimSpace(string(list.body)) != want {
		t.Errorf("the list is %s", list.body)
	}
	for field, bad := range map[string]map[string]any{
		"value":     and(body, "value", strings.Repeat("x", 4097)),
		"hosts":     and(body, "hosts", []any{"example.org/path"}),
		"tenant_id": and(body, "tenant_id", strings.Repeat("x", 129)),
		"name":      and(body, "name", "other"),
		"values":    and(body, "values", "x"),
	} {
		r := s.do(http.MethodPut, path, bad).want(http.StatusBadRequest)
		if !strings.Contains(string(r.body), field) || strings.Contains(string(r.body), "hush") {
			t.Errorf("%s: %s", field, r.body)
		}
	}
	for _, host := range []string{"", "*.example.org", "https://u:p@example.org", "ftp://example.org", "example.org?x", "exa mple.org"} {
		s.do(http.MethodPut, path, and(body, "hosts", []any{host})).want(http.StatusBadRequest)
	}
	s.do(http.MethodPut, path, and(body, "hosts", []any{})).want(http.StatusBadRequest)
	s.do(http.MethodDelete, path, nil).want(http.StatusOK)
	s.do(http.MethodDelete, path, nil).want(http.StatusNotFound)
}
