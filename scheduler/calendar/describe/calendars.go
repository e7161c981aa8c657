package describe

import (
	"fmt"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

func (english) calendars(p *schema.Plan) (text string) {
	if len(p.Exclude) > 0 {
		text += "; not on " + strings.Join(p.Exclude, ", ")
	}
	if len(p.Only) > 0 {
		text += "; only on " + strings.Join(p.Only, ", ")
	}
	switch {
	case text == "":
	case p.Excluded == schema.ExcludedNext:
		text += ", moved to the next time that is allowed"
	case p.Excluded == schema.ExcludedPrevious:
		text += ", moved to the last time before that is allowed"
	}
	return text
}

func (english) moved(from, id string) string { return "moved from " + from + " by " + id }

func (english) excluded(id, day, name string) string {
	switch {
	case day == "":
		return "not on " + id
	case name == "":
		return "excluded by " + id + " (" + day + ")"
	}
	return "excluded by " + id + " (" + day + ", " + name + ")"
}

func (english) merged(n int64, first, last, id string) string {
	if n == 1 {
		return "the occurrence of " + first + ", which " + id + " moves here, is one with it"
	}
	return fmt.Sprintf("%d occurrences of %s to %s, which %s moves here, are one with it", n, first, last, id)
}

func (chinese) calendars(p *schema.Plan) (text string) {
	if len(p.Exclude) > 0 {
		text += "；" + strings.Join(p.Exclude, "、") + " 除外"
	}
	if len(p.Only) > 0 {
		text += "；仅限 " + strings.Join(p.Only, "、")
	}
	switch {
	case text == "":
	case p.Excluded == schema.ExcludedNext:
		text += "，顺延至其后允许的时间"
	case p.Excluded == schema.ExcludedPrevious:
		text += "，提前至其前允许的时间"
	}
	return text
}

func (chinese) moved(from, id string) string { return "由日历 " + id + " 自 " + from + " 移来" }

func (chinese) excluded(id, day, name string) string {
	switch {
	case day == "":
		return "不在日历 " + id + " 内"
	case name == "":
		return "被日历 " + id + " 排除（" + day + "）"
	}
	return "被日历 " + id + " 排除（" + day + "，" + name + "）"
}

func (chinese) merged(n int64, first, last, id string) string {
	if n == 1 {
		return "日历 " + id + " 将 " + first + " 的触发移到此刻，两者合为一次"
	}
	return fmt.Sprintf("日历 %s 将 %s 至 %s 的 %d 次触发移到此刻，合为一次", id, first, last, n)
}
