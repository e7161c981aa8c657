package machine

import "github.com/stationmaster-io/stationmaster/internal/command"

// isSample reports that the occurrences of a part of the plans are asked for, and not of a few that
// their names tell.
func (l *listing) isSample() bool {
	f := &l.ask.Filter
	return l.dues != nil && f.Station == "" && f.Prefix == "" && l.every() > 1
}

// every is how many plans there are for each one of a sample. A sample that goes on was told.
func (l *listing) every() int64 {
	switch span := l.ask.Span; {
	case span.Every > 0:
		return span.Every
	case span.Most > 0:
		return (int64(len(l.Handles.Plans))-2)/span.Most + 1 // handle 0 is none's
	default:
		return 1
	}
}

// bySample looks at one plan of each group of neighbouring handles. Which one is as good as random,
// because plans that were created by turns have something in common.
func (l *listing) bySample() {
	all, every := l.Handles.Plans, l.every()
	l.out.Every = every
	for group := l.ask.Due.Handle; 1+group*every < int64(len(all)); group++ {
		l.place = command.DuePlace{Handle: group}
		if l.isFull() {
			l.out.Due = l.place
			return
		}
		l.cost += listVisit
		h := 1 + group*every + int64(uint64(group)*0x9e3779b97f4a7c15>>33)%every
		if h < int64(len(all)) && all[h] != nil {
			l.Partition.At(all[h])
			l.look(all[h])
		}
	}
}
