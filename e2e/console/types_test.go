package console

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the types of REST anew")

// The application is checked against the types of REST as the program describes it.
func TestTheTypesOfRESTAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	tool := filepath.Join("..", "..", "console", "node_modules", ".bin", "openapi-typescript")
	if _, err := os.Stat(tool); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("openapi-typescript is not there: npm ci in the folder console")
	}
	s := serve(t)
	response, err := http.Get(s.url + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "api.d.ts")
	if err := os.WriteFile(in, document, 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(tool, in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join("..", "..", "console", "app", "api.d.ts")
	if *rewrite {
		if err := os.WriteFile(kept, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, now) {
		t.Errorf("%s is not what the program's OpenAPI document makes: go test -C e2e/console -run Types -rewrite", kept)
	}
}
