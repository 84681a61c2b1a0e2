package deferloop
