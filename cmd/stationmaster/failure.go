package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// This file reports the error of a command once, in the words of the command line, and to
// programs as JSON.

// Exit codes. Those above exitUsage are distinguished only with --detailed-exit-code,
// because scripts that test for 1 must keep working.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitConflict    = 4
	exitUnavailable = 5
)

const (
	flagJSON     = "json"
	flagDetailed = "detailed-exit-code"
)

// exitCode is the exit code of a command that was understood and failed.
func exitCode(cmd *cobra.Command, err error) int {
	if detailed, _ := cmd.Flags().GetBool(flagDetailed); !detailed {
		return exitFailed
	}
	switch {
	case errors.Is(err, schema.CodeNotFound):
		return exitNotFound
	case errors.Is(err, schema.CodeConflict):
		return exitConflict
	case unavailable(err), errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return exitUnavailable
	default:
		return exitFailed
	}
}

// printError writes the reason why a command failed.
func printError(w io.Writer, cmd *cobra.Command, err error, wrong bool) {
	text := inTheirWords(cmd, err)
	if asJSON, _ := cmd.Flags().GetBool(flagJSON); asJSON {
		given := schema.Error{Code: "failed", Message: text}
		if refused, is := errors.AsType[*schema.Error](err); is {
			given = *refused
		} else if wrong {
			given.Code = "usage"
		}
		_ = printJSON(w, map[string]any{"error": given}) // an error of stderr cannot be reported
		return
	}
	fmt.Fprintln(w, "stationmaster:", text)
	if wrong {
		fmt.Fprintf(w, "%q shows the usage\n", cmd.CommandPath()+" --help")
	}
}

// inTheirWords is the text of err, in which fields of the scheduler are replaced by the
// flags that set them, and requests by the commands that make them. An error about a file
// has the file's name, without the failing system call.
func inTheirWords(cmd *cobra.Command, err error) string {
	text := err.Error()
	if file, is := errors.AsType[*fs.PathError](err); is {
		text = strings.Replace(text, file.Error(), file.Path+": "+file.Err.Error(), 1)
	}
	_, ofFile := errors.AsType[*inFile](err)
	for _, refused := range refusals(err) {
		text = strings.Replace(text, refused.Error(), inCommands(ofTheirFlag(cmd, refused, ofFile)), 1)
	}
	text = withoutRawWords(namedAsTyped(cmd, err, text))
	if cmd.Flags().Lookup("timeout") == nil { // as serve
		text = strings.NewReplacer(";"+longerHint, "", longerHint, "").Replace(text)
	}
	return text
}

// namedAsTyped is the text of a refusal about a plan that is not there, by the name that was typed, because
// the id of a queue's or of an HTTP job's plan is made of that.
func namedAsTyped(cmd *cobra.Command, err error, text string) string {
	args := cmd.Flags().Args()
	if len(args) == 0 || !strings.Contains(cmd.Use, planUse) || !errors.Is(err, schema.CodeNotFound) {
		return text
	}
	for _, name := range knownBy(args[0]) {
		text = strings.ReplaceAll(text, name.String(), args[0])
	}
	return text
}

// refusals are all errors of the scheduler, or of the same checks made locally, in err.
func refusals(err error) (all schema.Errors) {
	switch e := err.(type) { //nolint:errorlint // each step of the tree is looked at
	case *schema.Error:
		return schema.Errors{e}
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			all = append(all, refusals(one)...)
		}
	case interface{ Unwrap() error }:
		return refusals(e.Unwrap())
	}
	return all
}

// An inFile is an error in a file that is an argument. It keeps the names of the file's members,
// because no flag sets them.
type inFile struct {
	name string
	err  error
}

func (e *inFile) Error() string { return e.name + ": " + e.err.Error() }
func (e *inFile) Unwrap() error { return e.err }

// ofTheirFlag is the text of a refusal, with the flag that sets its field, unless it is of a file.
func ofTheirFlag(cmd *cobra.Command, refused *schema.Error, ofFile bool) string {
	if refused.Field == "" || refused.Code != schema.CodeInvalidPlan && refused.Code != schema.CodeInvalidRequest {
		return refused.Error()
	}
	given, name := refused.Message, refused.Field
	file := cmd.Flags().Lookup("file")
	hasFields := file != nil && file.Changed && fieldOf(file) == "file" // not that of one field
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || ofFile || hasFields && !f.Changed {
			return // the file has it
		}
		field := fieldOf(f)
		if field == refused.Field {
			name = "--" + f.Name
			if rest, is := behind(field, given); is {
				given = name + rest
			}
		}
		if strings.ContainsAny(field, "_.") {
			given = replaceOutside(given, field, "--"+f.Name)
		}
	})
	if _, is := behind(name, given); !is {
		given = name + ": " + given
	}
	return string(refused.Code) + ": " + given
}

// ofField is the annotation of a flag whose field has another name.
const ofField = "stationmaster_field"

// setsField records the name of the field that a flag sets.
func setsField(f *pflag.Flag, field string) { annotate(f, ofField, field) }

// fieldOf is the wire name of the field that a flag sets.
func fieldOf(f *pflag.Flag) string {
	if named := f.Annotations[ofField]; len(named) > 0 {
		return named[0]
	}
	return fieldName(f.Name)
}

// behind is the rest of a text that begins with a name.
func behind(name, text string) (rest string, is bool) {
	rest, is = strings.CutPrefix(text, name)
	return rest, is && rest != "" && !isOfName(rest[0])
}

// aValue matches the parts of a message that repeat a text of a user and name no field, which are
// texts in quotes and words of a template.
var aValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\{\{[^}]*\}\}`)

// replaceOutside is replaceWord for the parts of a text that are no values.
func replaceOutside(text, word, by string) string {
	var b strings.Builder
	end := 0
	for _, value := range aValue.FindAllStringIndex(text, -1) {
		b.WriteString(replaceWord(text[end:value[0]], word, by))
		b.WriteString(text[value[0]:value[1]])
		end = value[1]
	}
	return b.String() + replaceWord(text[end:], word, by)
}

// replaceWord replaces a word of a text wherever it stands alone.
func replaceWord(text, word, by string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, word)
		if i < 0 {
			return b.String() + text
		}
		end := i + len(word)
		alone := (i == 0 || !isOfName(text[i-1])) && (end == len(text) || !isOfName(text[end]))
		b.WriteString(text[:i])
		if alone {
			b.WriteString(by)
		} else {
			b.WriteString(word)
		}
		text = text[end:]
	}
}

func isOfName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// refusedFlag explains an error in a flag, without the words of the library.
func refusedFlag(cmd *cobra.Command, err error) error {
	if bad, is := errors.AsType[*pflag.InvalidValueError](err); is {
		return refusedValue("--"+bad.GetFlag().Name, bad)
	}
	// A misspelled subcommand stands before its flags, which its group does not know.
	if err := unknownCommand(cmd, cmd.Flags().Args()); err != nil {
		return err
	}
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		return usagef("unknown flag: %s%s", dashed(unknown.GetSpecifiedName()), meantFlag(cmd, unknown.GetSpecifiedName()))
	}
	return &usageError{err}
}

func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// refusedValue describes the values that a flag takes; from is the source of the value.
func refusedValue(from string, bad *pflag.InvalidValueError) error {
	if errors.Is(bad, errTwice) {
		return usagef("%s %q: %w", from, bad.GetValue(), errTwice)
	}
	takes := ""
	switch bad.GetFlag().Value.Type() {
	case "int", "int64", "uint64":
		takes = "give a whole number"
		if errors.Is(bad, strconv.ErrRange) {
			takes = "that is too large a number"
		}
	case "bool":
		takes = "give true or false"
	default:
		takes = bad.Unwrap().Error()
	}
	return usagef("%s is %q; %s", from, bad.GetValue(), takes)
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// meant suggests another name, if one is similar.
func meant(before, given string, known []string) string {
	near := wire.Nearest(given, slices.Values(known))
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", before+near)
}
