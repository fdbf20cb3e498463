// The service on net/http.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var fault = os.Getenv("FAULT")
var validLimit = regexp.MustCompile("^(0{0,2}[1-9]|0?[1-9][0-9]|100)$")

type credentials struct {
	APIKey    string `json:"apiKey"`
	SecretKey string `json:"secretKey"`
	role      string
}

// By code, its status and message.
var apiErrors map[string][2]any

type customization struct {
	ID        int64             `json:"id"`
	Name      string            `json:"name"`
	CreatedAt time.Time         `json:"created_at"`
	Labels    map[string]string `json:"labels,omitempty"`
}

var customizations = []customization{
	{7, "wallet <b>", time.Date(2023, 5, 1, 12, 0, 0, 0, time.UTC), map[string]string{"team": "core", "tier": "gold"}},
	{8, "checkout", time.Date(2023, 5, 2, 12, 0, 0, 123456789, time.UTC), nil},
	{9, "statement", time.Date(2023, 5, 3, 12, 0, 0, 0, time.UTC), map[string]string{"team": "billing"}},
	{10, "receipt", time.Date(2023, 6, 4, 12, 0, 0, 0, time.UTC), nil},
}

type service struct {
	clients map[string]credentials
	mu      sync.Mutex
	refused map[string]int
}

// readJSON reads a file at the start of the program.
func readJSON(path string, value any) {
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, value) != nil {
		log.Fatal(path, err)
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	if fault == "header-after-status" && status == http.StatusUnauthorized {
		w.WriteHeader(status)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func writeError(w http.ResponseWriter, code string) {
	status, message := apiErrors[code][0], apiErrors[code][1]
	writeJSON(w, int(status.(float64)), map[string]any{"error_code": code, "error_message": message})
}

// countRefusal keeps how often each client was over its quota.
func (s *service) countRefusal(apiKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil && fault != "nil-map" {
		s.refused = make(map[string]int)
	}
	s.refused[apiKey]++
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if code := s.refusal(r); code != "" {
		writeError(w, code)
	} else {
		list(w, r)
	}
}

// refusal returns the code of a request that is refused before its query is read, or an empty text.
func (s *service) refusal(r *http.Request) string {
	apiKey, secretKey, version := r.Header.Get("X-Api-Key"), r.Header.Get("X-Secret-Key"), r.Header.Get("X-Version")
	client, ok := s.clients[apiKey]
	// Not a ServeMux: it would redirect paths such as /api//customizations.
	found := r.URL.Path == "/api/customizations/list" && (r.Method == http.MethodGet || r.Method == http.MethodHead)
	switch {
	case apiKey == "":
		return "1001"
	case secretKey == "":
		return "1002"
	case version == "":
		return "1003"
	case !ok:
		return "1006"
	case secretKey != client.SecretKey:
		return "1007"
	case client.role == "noCustomer":
		return "1012"
	case client.role == "exhausted":
		s.countRefusal(apiKey)
		return "1020"
	case !found || version != "1":
		return "1010"
	}
	return map[string]string{"inactive": "1011", "unauthorized": "1013"}[client.role]
}

func list(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	limit, ok := len(customizations), err == nil
	if given, isGiven := query["limit"]; ok && isGiven {
		limit, _ = strconv.Atoi(validLimit.FindString(strings.Join(given, ",")))
		ok = limit > 0
	}
	if !ok {
		writeError(w, "1030")
		if fault != "missing-return" {
			return
		}
	}
	if limit > len(customizations) {
		limit = len(customizations)
	}
	writeJSON(w, http.StatusOK, map[string]any{"customizations": customizations[:limit]})
}

func main() {
	var roles map[string]credentials
	readJSON("../errors.json", &apiErrors)
	readJSON(os.Getenv("CLIENTS"), &roles)
	s := &service{clients: make(map[string]credentials)}
	for role, client := range roles {
		client.role = role
		s.clients[client.APIKey] = client
	}

	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), s))
}
