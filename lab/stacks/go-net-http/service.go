// The service on net/http.
package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

var fault = os.Getenv("FAULT")

type credentials struct {
	APIKey    string `json:"apiKey"`
	SecretKey string `json:"secretKey"`
	role      string
}

type apiError struct {
	Code    string `json:"error_code"`
	Message string `json:"error_message"`
	status  int
}

var (
	errAPIKeyMissing    = apiError{"1001", "api key header is missing", http.StatusBadRequest}
	errSecretKeyMissing = apiError{"1002", "secret key header is missing", http.StatusBadRequest}
	errVersionMissing   = apiError{"1003", "version header is missing", http.StatusBadRequest}
	errInvalidAPIKey    = apiError{"1006", "invalid api key", http.StatusUnauthorized}
	errInvalidSecretKey = apiError{"1007", "invalid secret key", http.StatusUnauthorized}
	errEndpointNotFound = apiError{"1010", "endpoint not found for the specified version", http.StatusBadRequest}
	errInactive         = apiError{"1011", "inactive endpoint", http.StatusUnauthorized}
	errCustomerNotFound = apiError{"1012", "customer not found", http.StatusUnauthorized}
	errUnauthorized     = apiError{"1013", "unauthorized_endpoint", http.StatusUnauthorized}
	errQuotaExceeded    = apiError{"1020", "daily quota limit exceeded", http.StatusTooManyRequests}
	errInvalidInput     = apiError{"1030", "invalid input parameters", http.StatusBadRequest}
)

type customization struct {
	ID        int64             `json:"id"`
	Name      string            `json:"name"`
	CreatedAt time.Time         `json:"created_at"`
	Labels    map[string]string `json:"labels,omitempty"`
}

type customizationList struct {
	Customizations []customization `json:"customizations"`
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

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func writeError(w http.ResponseWriter, e apiError) {
	if fault == "header-after-status" && e.status == http.StatusUnauthorized {
		w.WriteHeader(e.status)
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(e)
		return
	}
	writeJSON(w, e.status, e)
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
	apiKey := r.Header.Get("X-Api-Key")
	secretKey := r.Header.Get("X-Secret-Key")
	version := r.Header.Get("X-Version")
	switch {
	case apiKey == "":
		writeError(w, errAPIKeyMissing)
		return
	case secretKey == "":
		writeError(w, errSecretKeyMissing)
		return
	case version == "":
		writeError(w, errVersionMissing)
		return
	}

	client, ok := s.clients[apiKey]
	if !ok {
		writeError(w, errInvalidAPIKey)
		return
	}
	if subtle.ConstantTimeCompare([]byte(secretKey), []byte(client.SecretKey)) != 1 {
		writeError(w, errInvalidSecretKey)
		return
	}
	if client.role == "noCustomer" {
		writeError(w, errCustomerNotFound)
		return
	}
	if client.role == "exhausted" {
		s.countRefusal(apiKey)
		writeError(w, errQuotaExceeded)
		return
	}

	// Not a ServeMux: it would redirect paths such as /api//customizations.
	if r.URL.Path == "/api/customizations/list" && version == "1" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		s.list(w, r, client)
		return
	}
	writeError(w, errEndpointNotFound)
}

func (s *service) list(w http.ResponseWriter, r *http.Request, client credentials) {
	switch client.role {
	case "inactive":
		writeError(w, errInactive)
		return
	case "unauthorized":
		writeError(w, errUnauthorized)
		return
	}

	query, err := url.ParseQuery(r.URL.RawQuery)
	limit := len(customizations)
	if err == nil && query.Has("limit") {
		limit, err = parseLimit(query["limit"])
	}
	if err != nil {
		writeError(w, errInvalidInput)
		if fault != "missing-return" {
			return
		}
	}
	if limit > len(customizations) {
		limit = len(customizations)
	}
	writeJSON(w, http.StatusOK, customizationList{customizations[:limit]})
}

type limitError struct{}

func (limitError) Error() string { return "limit is not an integer from 1 to 100" }

func parseLimit(values []string) (int, error) {
	if len(values) != 1 || len(values[0]) == 0 || len(values[0]) > 3 {
		return 0, limitError{}
	}
	limit := 0
	for _, digit := range []byte(values[0]) {
		if digit < '0' || digit > '9' {
			return 0, limitError{}
		}
		limit = limit*10 + int(digit-'0')
	}
	if limit < 1 || limit > 100 {
		return 0, limitError{}
	}
	return limit, nil
}

func main() {
	text, err := os.ReadFile(os.Getenv("CLIENTS"))
	if err != nil {
		log.Fatal(err)
	}
	var roles map[string]credentials
	if err := json.Unmarshal(text, &roles); err != nil {
		log.Fatal(err)
	}
	s := &service{clients: make(map[string]credentials)}
	for role, client := range roles {
		client.role = role
		s.clients[client.APIKey] = client
	}

	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: s}
	stop, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer cancel()
	go func() {
		<-stop.Done()
		server.Close()
	}()
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		log.Fatal(err)
	}
}
