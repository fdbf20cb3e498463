// The service on the JDK's own com.sun.net.httpserver.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public class Service {
    static final String FAULT = System.getenv().getOrDefault("FAULT", "");

    record Client(String role, String secretKey) {}

    enum Failure {
        API_KEY_MISSING(400, "1001", "api key header is missing"),
        SECRET_KEY_MISSING(400, "1002", "secret key header is missing"),
        VERSION_MISSING(400, "1003", "version header is missing"),
        INVALID_API_KEY(401, "1006", "invalid api key"),
        INVALID_SECRET_KEY(401, "1007", "invalid secret key"),
        ENDPOINT_NOT_FOUND(400, "1010", "endpoint not found for the specified version"),
        INACTIVE_ENDPOINT(401, "1011", "inactive endpoint"),
        CUSTOMER_NOT_FOUND(401, "1012", "customer not found"),
        UNAUTHORIZED_ENDPOINT(401, "1013", "unauthorized_endpoint"),
        QUOTA_EXCEEDED(429, "1020", "daily quota limit exceeded"),
        INVALID_INPUT(400, "1030", "invalid input parameters");

        final int status;
        final String code;
        final String message;

        Failure(int status, String code, String message) {
            this.status = status;
            this.code = code;
            this.message = message;
        }
    }

    static class Refused extends Exception {
        final Failure failure;

        Refused(Failure failure) {
            this.failure = failure;
        }
    }

    static final List<String> CUSTOMIZATIONS = List.of(
        "{\"id\":\"A-1\",\"name\":\"Bronze\",\"createdAt\":1704067200000,\"attributes\":{\"rank\":3}}",
        "{\"id\":\"A-2\",\"name\":\"Silver\",\"createdAt\":1706745600000,\"attributes\":{\"rank\":2}}",
        "{\"id\":\"A-3\",\"name\":\"Gold\",\"createdAt\":1709251200000,\"attributes\":{\"rank\":1}}",
        "{\"id\":\"A-4\",\"name\":\"Señor\",\"createdAt\":1711929600000,\"attributes\":{}}");

    final Map<String, Client> clients;

    Service(Map<String, Client> clients) {
        this.clients = clients;
    }

    /** The file is one object of flat objects, so that a pattern is enough. */
    static Map<String, Client> readClients(Path path) throws IOException {
        String text = Files.readString(path);
        Map<String, Client> clients = new HashMap<>();
        Matcher object = Pattern.compile("\"(\\w+)\"\\s*:\\s*\\{([^}]*)\\}").matcher(text);
        while (object.find()) {
            Map<String, String> fields = new HashMap<>();
            Matcher field = Pattern.compile("\"(\\w+)\"\\s*:\\s*\"([^\"]*)\"").matcher(object.group(2));
            while (field.find()) fields.put(field.group(1), field.group(2));
            clients.put(fields.get("apiKey"), new Client(object.group(1), fields.get("secretKey")));
        }
        return Map.copyOf(clients);
    }

    void handle(HttpExchange exchange) throws IOException {
        try {
            respond(exchange, 200, answer(exchange));
        } catch (Refused refused) {
            Failure failure = refused.failure;
            respond(exchange, failure.status,
                "{\"error_code\":\"" + failure.code + "\",\"error_message\":\"" + failure.message + "\"}");
        } catch (RuntimeException error) {
            if (FAULT.equals("null-key")) throw error;
            error.printStackTrace();
            respond(exchange, 500, "{\"error_code\":\"500\",\"error_message\":\"internal server error\"}");
        } finally {
            exchange.close();
        }
    }

    static void respond(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", String.valueOf(body.length));
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    String answer(HttpExchange exchange) throws Refused {
        String apiKey = exchange.getRequestHeaders().getFirst("X-Api-Key");
        String secretKey = exchange.getRequestHeaders().getFirst("X-Secret-Key");
        String version = exchange.getRequestHeaders().getFirst("X-Version");
        if (apiKey == null && !FAULT.equals("null-key")) throw new Refused(Failure.API_KEY_MISSING);
        Client client = clients.get(apiKey);
        if (secretKey == null) throw new Refused(Failure.SECRET_KEY_MISSING);
        if (version == null) throw new Refused(Failure.VERSION_MISSING);

        if (client == null) throw new Refused(Failure.INVALID_API_KEY);
        if (!MessageDigest.isEqual(secretKey.getBytes(StandardCharsets.UTF_8),
                client.secretKey().getBytes(StandardCharsets.UTF_8))) {
            throw new Refused(Failure.INVALID_SECRET_KEY);
        }
        if (client.role().equals("noCustomer")) throw new Refused(Failure.CUSTOMER_NOT_FOUND);
        if (client.role().equals("exhausted")) throw new Refused(Failure.QUOTA_EXCEEDED);

        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        boolean known = FAULT.equals("context-is-a-prefix")
            ? path.startsWith(exchange.getHttpContext().getPath()) && path.startsWith("/api/customizations/list")
            : path.equals("/api/customizations/list");
        if (!known || !version.equals("1") || !(method.equals("GET") || method.equals("HEAD"))) {
            throw new Refused(Failure.ENDPOINT_NOT_FOUND);
        }
        if (client.role().equals("inactive")) throw new Refused(Failure.INACTIVE_ENDPOINT);
        if (client.role().equals("unauthorized")) throw new Refused(Failure.UNAUTHORIZED_ENDPOINT);

        int limit = limit(exchange.getRequestURI().getRawQuery());
        return CUSTOMIZATIONS.stream().limit(limit).collect(Collectors.joining(",", "{\"customizations\":[", "]}"));
    }

    static int limit(String query) throws Refused {
        List<String> given = new ArrayList<>();
        if (query != null) {
            for (String pair : query.split("&")) {
                String[] parts = pair.split("=", 2);
                if (URLDecoder.decode(parts[0], StandardCharsets.UTF_8).equals("limit")) {
                    given.add(parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
                }
            }
        }
        if (given.isEmpty()) return CUSTOMIZATIONS.size();
        String text = given.get(0);
        try {
            int limit = Integer.parseInt(text);
            boolean digits = FAULT.equals("parse-int-limit") || text.matches("[0-9]{1,3}");
            if (digits && limit >= 1 && limit <= 100) return limit;
        } catch (NumberFormatException error) {
            // refused below
        }
        throw new Refused(Failure.INVALID_INPUT);
    }

    public static void main(String[] arguments) throws IOException {
        Service service = new Service(readClients(Path.of(System.getenv("CLIENTS"))));
        InetAddress local = InetAddress.getByName("127.0.0.1");
        HttpServer server = HttpServer.create(new InetSocketAddress(local, Integer.parseInt(System.getenv("PORT"))), 0);
        server.createContext("/", service::handle);
        if (FAULT.equals("context-is-a-prefix")) server.createContext("/api/customizations/list", service::handle);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }
}
