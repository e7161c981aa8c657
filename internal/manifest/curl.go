package manifest

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var isAddress = regexp.MustCompile(`^https?://\S+$`)

// curlFlags are options of curl without an effect here, because they change its output, follow
// redirects or report failures, which the call does anyway.
var curlFlags = map[string]bool{
	"-s": true, "--silent": true, "-S": true, "--show-error": true, "-f": true, "--fail": true,
	"-L": true, "--location": true, "-g": true, "--globoff": true, "-v": true, "--verbose": true, "--compressed": true,
}

// parseCall reads an address, or a curl of one, as the fields of a task. There are none
// when the command is another, or a curl that does more than a call; more is that excess.
func parseCall(command string) (call map[string]any, more string, err error) {
	command = quiet.ReplaceAllString(command, "")
	if isAddress.MatchString(command) {
		return map[string]any{"http_method": "GET", "target_url": command}, "", nil
	}
	words, err := split(command)
	if err != nil || len(words) == 0 || words[0] != "curl" && !strings.HasSuffix(words[0], "/curl") {
		return nil, "", nil // the shell may understand words that split refuses
	}
	c := curl{headers: map[string]any{}}
	for words = words[1:]; len(words) > 0; {
		if words, err = c.take(words); err != nil {
			return nil, "", err
		}
	}
	switch {
	case c.url == "":
		return nil, "", fmt.Errorf("curl has no address")
	case hasGlob(c.url) && !c.asIs:
		return nil, "", fmt.Errorf("curl calls several addresses for %s; make it a line each, or give curl -g if it is one", c.url)
	case c.more != "":
		return nil, c.more, nil
	}
	call = map[string]any{"http_method": cmp.Or(c.method, "GET"), "target_url": c.url}
	if c.hasBody {
		call["http_method"] = cmp.Or(c.method, "POST")
		if !c.has("Content-Type") {
			c.headers["Content-Type"] = "application/x-www-form-urlencoded" // curl's own default
		}
	}
	if c.body != "" {
		call["body_template"] = c.body
	}
	if len(c.headers) > 0 {
		call["headers_json"] = c.headers
	}
	if c.timeout > 0 {
		call["timeout_seconds"] = c.timeout
	}
	return call, "", nil
}

// A curl is the state of reading a command line.
type curl struct {
	method, url, body string
	hasBody           bool // which may be empty
	asIs              bool // -g: the address is no pattern
	headers           map[string]any
	timeout           float64
	more              string // an action of the line beyond a call
}

// hasGlob reports that curl takes an address for a pattern of several: {a,b} or [1-3], but for an
// IPv6 address.
func hasGlob(address string) bool {
	_, rest, _ := strings.Cut(address, "://")
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
	}
	return strings.ContainsAny(rest, "{}[]")
}

// take reads the first word, with its value, and returns the others.
func (c *curl) take(words []string) ([]string, error) {
	word := words[0]
	switch {
	case isAddress.MatchString(word):
		if c.url != "" {
			return nil, fmt.Errorf("curl has two addresses; make it two lines")
		}
		c.url = word
		return words[1:], nil
	case curlFlags[word], shortFlags(word):
		c.asIs = c.asIs || word == "--globoff" || !strings.HasPrefix(word, "--") && strings.Contains(word, "g")
		return words[1:], nil
	}
	name, value, attached := strings.Cut(word, "=")
	if !strings.HasPrefix(word, "--") {
		name, value, attached = shortOption(word)
	}
	rest := words[1:]
	if !attached {
		if len(rest) == 0 {
			return nil, fmt.Errorf("curl: %q is not understood", word)
		}
		value, rest = rest[0], rest[1:]
	}
	return rest, c.option(name, value)
}

// shortOption is the option of a word such as -so or -m5, whose first letters may be
// curlFlags.
func shortOption(word string) (name, value string, attached bool) {
	letters, is := strings.CutPrefix(word, "-")
	for len(letters) > 1 && curlFlags["-"+letters[:1]] {
		letters = letters[1:]
	}
	if !is || letters == "" {
		return word, "", false
	}
	return "-" + letters[:1], letters[1:], len(letters) > 1
}

// shortFlags reports whether all letters of a word such as -fsSL are curlFlags.
func shortFlags(word string) bool {
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return false
	}
	for _, letter := range word[1:] {
		if !curlFlags["-"+string(letter)] {
			return false
		}
	}
	return true
}

// has reports whether the line has a header; names of headers are case-insensitive.
func (c *curl) has(header string) bool {
	for name := range c.headers {
		if strings.EqualFold(name, header) {
			return true
		}
	}
	return false
}

func (c *curl) option(name, value string) error {
	switch name {
	case "-X", "--request":
		c.method = value
	case "-H", "--header":
		header, text, ok := strings.Cut(value, ":")
		if !ok {
			return fmt.Errorf("curl: header %q has no colon", value)
		}
		if header = strings.TrimSpace(header); c.has(header) {
			c.more = "curl sends the header " + header + " twice"
		}
		c.headers[header] = strings.TrimSpace(text)
	case "-d", "--data", "--data-raw", "--data-binary":
		if strings.HasPrefix(value, "@") && name != "--data-raw" {
			return fmt.Errorf("curl: %s %s reads a file, which does not exist where the call is made", name, value)
		}
		if c.hasBody {
			c.body += "&"
		}
		c.body, c.hasBody = c.body+value, true
	case "-m", "--max-time":
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("curl: %s %q is no number of seconds", name, value)
		}
		c.timeout = seconds
	case "-o", "--output":
		if value != "/dev/null" && value != "-" { // runs keep the answer
			c.more = "curl writes " + value
		}
	default:
		return fmt.Errorf("curl: option %s is not understood; those of the method, headers, data and --max-time are", name)
	}
	return nil
}

// split splits a command line as a shell does, as far as quotes and backslashes go. Other
// syntax of the shell is an error.
func split(command string) (words []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	runes := []rune(command)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote == '\'':
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\\' && i+1 < len(runes):
			i++
			if quote == '"' && !strings.ContainsRune("\"\\$`", runes[i]) {
				word.WriteRune('\\')
			}
			word.WriteRune(runes[i])
			begun = true
		case strings.ContainsRune("$`", r) || quote == 0 && strings.ContainsRune("|;<>(){}*?~", r) || quote == 0 && r == '&':
			return nil, fmt.Errorf("%q is the shell's", string(r))
		case quote == '"':
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
