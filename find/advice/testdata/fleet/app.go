package fleet

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

type Config struct {
	Services string
	Page     string
	Zones    []Zone
}

type Zone struct {
	Name   string
	Radius float64
	Towns  []string
}

type App struct {
	*gin.Engine
	cfg      Config
	vehicles Vehicles
	tracker  *Tracker
	geo      *Geocoder
	journal  *Journal
	alarms   *Alarms
}

func New(cfg Config) *App {
	if cfg.Zones == nil {
		for _, letter := range strings.Split("ABCDEFGHIJKLMNOP", "") {
			z := Zone{Name: "zone " + letter, Radius: float64(100 - len(cfg.Zones))}
			for n := range 40 {
				z.Towns = append(z.Towns, letter+strings.Repeat("o", n%7)+"ton")
			}
			cfg.Zones = append(cfg.Zones, z)
		}
	}
	gin.SetMode(gin.ReleaseMode)
	a := &App{
		Engine:   gin.New(),
		cfg:      cfg,
		vehicles: openVehicles(),
		tracker:  NewTracker(),
		geo:      &Geocoder{base: cfg.Services + "/address", known: make(map[string]string)},
		journal:  &Journal{},
		alarms:   NewAlarms(),
	}
	a.Use(a.observe)
	a.GET("/company/:name", a.company)
	a.POST("/messages", a.receive)
	a.GET("/positions", a.positions)
	a.GET("/address", a.address)
	a.GET("/zones", a.listZones)
	a.GET("/conditions", a.conditions)
	a.GET("/report/:name", a.report)
	a.GET("/nearest", a.nearest)
	return a
}

func (a *App) observe(c *gin.Context) {
	begin := time.Now()
	c.Next()
	slog.Info("request", "path", c.Request.URL.Path, "status", c.Writer.Status(), "took", time.Since(begin))
}

func (a *App) fail(c *gin.Context, err error) bool {
	if err != nil {
		c.String(http.StatusInternalServerError, "%v", err)
	}
	return err != nil
}

// company lists the vehicles of a company with their drivers.
func (a *App) company(c *gin.Context) {
	list, err := a.vehicles.OfCompany(c, c.Param("name"))
	if a.fail(c, err) {
		return
	}
	out := make([]gin.H, 0, len(list))
	for _, v := range list {
		d, err := a.describe(c, v)
		if a.fail(c, err) {
			return
		}
		out = append(out, d)
	}
	c.JSON(http.StatusOK, out)
}

func (a *App) describe(ctx context.Context, v Vehicle) (gin.H, error) {
	d, err := a.vehicles.Driver(ctx, v.Driver)
	return gin.H{"plate": v.Plate, "driver": d.Name}, err
}

// receive takes a message of a vehicle.
func (a *App) receive(c *gin.Context) {
	raw, err := c.GetRawData()
	if a.fail(c, err) {
		return
	}
	kind, err := kindOf(raw)
	if a.fail(c, err) {
		return
	}
	switch kind {
	case "position":
		p, err := parsePosition(raw)
		if a.fail(c, err) {
			return
		}
		a.tracker.Move(p)
		a.journal.Write(kind, raw)
	case "alarm":
		a.alarms.Raise(string(raw))
	}
	c.Status(http.StatusAccepted)
}

func (a *App) positions(c *gin.Context) {
	all := a.tracker.Snapshot()
	c.JSON(http.StatusOK, gin.H{"count": len(all), "first": all[:min(3, len(all))]})
}

func (a *App) address(c *gin.Context) {
	where, err := a.geo.Lookup(c.Query("at"))
	if a.fail(c, err) {
		return
	}
	c.String(http.StatusOK, where)
}

// zonesBySize returns the zones with their towns in order, the largest first.
func (a *App) zonesBySize() []Zone {
	zones := slices.Clone(a.cfg.Zones)
	for i := range zones {
		towns := slices.Clone(zones[i].Towns)
		slices.SortFunc(towns, func(x, y string) int {
			return cmp.Or(cmp.Compare(strings.ToLower(x), strings.ToLower(y)), cmp.Compare(x, y))
		})
		zones[i].Towns = slices.Compact(towns)
	}
	slices.SortFunc(zones, func(x, y Zone) int { return cmp.Compare(y.Radius, x.Radius) })
	return zones
}

func (a *App) listZones(c *gin.Context) {
	zones := a.zonesBySize()
	n := 0
	for _, z := range zones {
		if strings.Contains(z.Name, c.Query("q")) {
			n++
		}
	}
	c.JSON(http.StatusOK, gin.H{"zones": n, "largest": zones[0].Name})
}

func (a *App) conditions(c *gin.Context) {
	at := c.Query("at")
	weather, err := a.geo.ask(a.cfg.Services + "/weather?at=" + at)
	if a.fail(c, err) {
		return
	}
	traffic, err := a.geo.ask(a.cfg.Services + "/traffic?at=" + at)
	if a.fail(c, err) {
		return
	}
	c.JSON(http.StatusOK, gin.H{"weather": weather, "traffic": traffic})
}

func (a *App) report(c *gin.Context) {
	list, err := a.vehicles.OfCompany(c, c.Param("name"))
	if a.fail(c, err) {
		return
	}
	text, err := Report{Page: a.cfg.Page, Company: c.Param("name"), Vehicles: list}.Render()
	if a.fail(c, err) {
		return
	}
	c.Data(http.StatusOK, "text/html", text)
}

// nearest asks two sources and takes the first answer.
func (a *App) nearest(c *gin.Context) {
	answers := make(chan string)
	ask := func(source string) {
		text, err := a.geo.ask(a.cfg.Services + "/" + source + "?at=" + c.Query("at"))
		if err != nil {
			text = err.Error()
		}
		answers <- text
	}
	go ask("address")
	go ask("traffic")
	c.String(http.StatusOK, <-answers)
}
