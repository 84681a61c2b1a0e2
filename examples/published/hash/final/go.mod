module example.com/hash

go 1.17

require github.com/mailru/easyjson v0.7.7

require github.com/josharian/intern v1.0.0 // indirect
