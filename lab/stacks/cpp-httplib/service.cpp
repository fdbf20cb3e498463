// The service on cpp-httplib.
#include <httplib.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

using json = nlohmann::ordered_json;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

const std::string fault = environment("FAULT");

struct Client {
  std::string role;
  std::string secret;
};

// By code, its status and message.
const json errors = json::parse(std::ifstream("../errors.json"));

void refuse(httplib::Response& response, const std::string& code) {
  response.status = errors.at(code).at(0);
  response.set_content(json{{"error_code", code}, {"error_message", errors.at(code).at(1)}}.dump(), "application/json");
}

bool same(const std::string& given, const std::string& expected) {
  if (fault == "prefix-of-secret") return std::memcmp(given.data(), expected.data(), std::min(given.size(), expected.size())) == 0;
  return given == expected;
}

// The limit that was given, 0 where it is none.
int parse_limit(const std::string& text) {
  if (fault == "stoi-limit") return std::stoi(text);
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  return digits && !text.empty() && text.size() < 4 ? std::stoi(text) : 0;
}

json customizations() {
  return json::array({
      {{"id", 1}, {"name", "vector"}, {"created", "2019-09-09T09:09:09Z"}, {"size", {{"w", 85.6}, {"h", 53.98}}}},
      {{"id", 2}, {"name", "deque"}, {"created", "2019-10-10T10:10:10Z"}, {"size", nullptr}},
      {{"id", 3}, {"name", "naïve \"list\""}, {"created", "2019-11-11T11:11:11Z"}, {"size", {{"w", 54}, {"h", 54}}}},
      {{"id", 4}, {"name", "map"}, {"created", "2019-12-12T12:12:12Z"}, {"size", json::object()}},
  });
}

httplib::Server server;

}  // namespace

int main() {
  std::map<std::string, Client> clients;
  const json roles = json::parse(std::ifstream(environment("CLIENTS")));
  for (const auto& [role, client] : roles.items()) clients[client.at("apiKey")] = {role, client.at("secretKey")};

  using Handled = httplib::Server::HandlerResponse;
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    const auto stop = [&](const std::string& code) {
      refuse(response, code);
      return Handled::Handled;
    };
    if (!request.has_header("x-api-key")) return stop("1001");
    if (fault != "absent-is-empty" && !request.has_header("x-secret-key")) return stop("1002");
    if (!request.has_header("x-version")) return stop("1003");

    const auto found = clients.find(request.get_header_value("x-api-key"));
    if (found == clients.end()) return stop("1006");
    const Client& client = found->second;
    if (!same(request.get_header_value("x-secret-key"), client.secret)) return stop("1007");
    if (client.role == "noCustomer") return stop("1012");
    if (client.role == "exhausted") return stop("1020");

    const bool get = request.method == "GET" || request.method == "HEAD";
    const bool known = get && request.path == "/api/customizations/list" && request.get_header_value("x-version") == "1";
    if (!known) return stop("1010");
    if (client.role == "inactive") return stop("1011");
    if (client.role == "unauthorized") return stop("1013");
    return Handled::Unhandled;
  });

  server.Get("/api/customizations/list", [](const httplib::Request& request, httplib::Response& response) {
    json rows = customizations();
    if (request.has_param("limit")) {
      const int limit = parse_limit(request.get_param_value("limit"));
      if (limit < 1 || limit > 100) return refuse(response, "1030");
      while (rows.size() > static_cast<std::size_t>(limit)) rows.erase(rows.size() - 1);
    }
    response.set_content(json{{"items", rows}}.dump(), "application/json");
  });

  // What the library refuses itself has no body yet.
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty()) return;
    // A request that it could not read says nothing of the endpoint.
    if (response.status == 400) return refuse(response, "1030");
    if (response.status < 500) return refuse(response, "1010");
    response.set_content(R"({"error_code":"500","error_message":"internal server error"})", "application/json");
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
    response.status = 500;
  });

  // A handler before the routing answers without reading the body, so the connection is not used again.
  server.set_keep_alive_max_count(1);

  if (!server.listen("127.0.0.1", std::stoi(environment("PORT")))) {
    std::cerr << "cannot listen\n";
    return 1;
  }
}
