module example.com/tags

go 1.17

require github.com/mileusna/useragent v1.3.5
