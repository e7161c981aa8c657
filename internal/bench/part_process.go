package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A partProcess is a part in a process of its own, as its parent sees it.
type partProcess struct {
	role    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	orders  *gob.Encoder
	replies *gob.Decoder
	first   partReply
}

// startPart runs a part, and waits until it is ready.
func startPart(program *exec.Cmd, role string, c partConfig) (_ *partProcess, err error) {
	p := &partProcess{role: role, cmd: program}
	program.Stderr = os.Stderr
	if p.in, err = program.StdinPipe(); err != nil {
		return nil, fmt.Errorf("run %s: %w", role, err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", role, err)
	}
	if err := program.Start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", role, err)
	}
	p.orders, p.replies = gob.NewEncoder(p.in), gob.NewDecoder(out)
	if err := p.orders.Encode(c); err != nil {
		return nil, errors.Join(fmt.Errorf("run %s: %w", role, err), p.stop())
	}
	if p.first, err = p.answer(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *partProcess) answer() (w partReply, err error) {
	if err := p.replies.Decode(&w); err != nil {
		return w, fmt.Errorf("%s: read its answer: %w", p.role, err)
	}
	if w.Err != "" {
		return w, fmt.Errorf("%s: %s", p.role, w.Err)
	}
	return w, nil
}

// ask sends an order and returns the answer. It ends at the latest with the context of the part's
// command.
func (p *partProcess) ask(o order) (partReply, error) {
	if err := p.orders.Encode(o); err != nil {
		return partReply{}, fmt.Errorf("%s: %s: %w", p.role, o.Do, err)
	}
	return p.answer()
}

// counter asks the part for its count.
func (p *partProcess) counter() counter {
	return func(context.Context) (int64, error) {
		w, err := p.ask(order{Do: doCount})
		return w.N, err
	}
}

// stop ends the part by closing its stdin.
func (p *partProcess) stop() error {
	_ = p.in.Close() // fails only when it has ended
	p.cmd.WaitDelay = stopWithin
	return p.cmd.Wait()
}

// processorTime returns the processor time of processes so far; false: this system does not show
// it.
func processorTime(pids []int) (sum time.Duration, known bool, err error) {
	for _, pid := range pids {
		each, known, err := processorTimeOf(pid)
		if err != nil || !known {
			return 0, known, err
		}
		sum += each
	}
	return sum, true, nil
}
