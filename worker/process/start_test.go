package process

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/worker"
)

// A program that does not start is explained without the words of system calls, by a check before
// as by the execution. Some reasons show at the start alone.
func TestWhyAProgramDoesNotStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have no right to be executed")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("PATH", "/nowhere:/usr/nowhere")
	for name, file := range map[string]struct {
		mode os.FileMode
		text string
	}{
		"closed": {0o600, "#!/bin/sh\n"}, "open": {0o700, "#!/bin/sh\n"}, "headless": {0o700, "#!/no/such/shell\n"}, "text": {0o700, "\x00\x01\x02"},
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(file.text), file.mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ program, want string }{
		{"missing", "no folder of PATH (/nowhere:/usr/nowhere) has a program missing: give its path, or put its folder into PATH"},
		{"open", "no folder of PATH (/nowhere:/usr/nowhere) has a program open: that of this folder is ./open"},
		{"./missing", "there is no file ./missing"},
		{folder, folder + " is a folder, and no program"},
		{"./closed", "./closed may not be executed: chmod +x lets it be"},
		{"./headless", "./headless did not start, because the program that its first line names is not there"},
		{"./text", "./text is no program of this machine; a script begins with a line such as #!/bin/sh"},
		{"./open", ""},
	} {
		_, err := Handler([]string{tt.program})(context.Background(), &worker.Execution{})
		if got := words(err); got != tt.want {
			t.Errorf("%s ends as %q, want %q", tt.program, got, tt.want)
		}
		checked := tt.want
		if strings.Contains(tt.program, "headless") || strings.Contains(tt.program, "text") {
			checked = ""
		}
		if got := words(Check(tt.program)); got != checked {
			t.Errorf("Check of %s: %q, want %q", tt.program, got, checked)
		}
	}
}

func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
