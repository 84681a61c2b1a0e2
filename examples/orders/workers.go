package main

import (
	"fmt"
	"log"
	"time"
)

// mailer sends mails, one after the other.
type mailer struct {
	mails chan string
}

func newMailer() *mailer { return &mailer{mails: make(chan string, 1000)} }

func (m *mailer) run() {
	for {
		select {
		case mail := <-m.mails:
			log.Printf("mail: %s", mail)
		default:
		}
	}
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
