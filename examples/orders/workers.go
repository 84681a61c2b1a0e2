package main

import (
	"fmt"
	"log"
	"strings"
	"time"
)

// mailer sends mails, those of an interval together.
type mailer struct {
	mails chan string
	pace  *time.Ticker
}

const mailInterval = 5 * time.Millisecond

func newMailer() *mailer {
	return &mailer{mails: make(chan string, 1000), pace: time.NewTicker(mailInterval)}
}

func (m *mailer) run() {
	for mail := range m.mails {
		m.send(m.collect([]string{mail}))
	}
}

// collect adds the mails that arrive until the interval is over.
func (m *mailer) collect(mails []string) []string {
	for {
		select {
		case mail := <-m.mails:
			mails = append(mails, mail)
		case <-m.pace.C:
			return mails
		default:
		}
	}
}

func (m *mailer) send(mails []string) {
	log.Printf("mail to %s", strings.Join(mails, ", "))
}

// outbox collects orders, and passes them on together.
type outbox struct {
	queue   chan order
	waiting []order
}

func newOutbox() *outbox { return &outbox{queue: make(chan order, 1000)} }

const (
	outboxDelay = 20 * time.Millisecond
	outboxSize  = 50
)

func (o *outbox) run() {
	for {
		select {
		case next := <-o.queue:
			o.waiting = append(o.waiting, next)
			if len(o.waiting) >= outboxSize {
				o.send()
			}
		case <-time.After(outboxDelay):
			o.send()
		}
	}
}

func (o *outbox) send() {
	if len(o.waiting) == 0 {
		return
	}
	log.Print(fmt.Sprintf("sent %d orders to the warehouse", len(o.waiting)))
	o.waiting = o.waiting[:0]
}
