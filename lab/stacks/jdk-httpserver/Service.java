// The service on the JDK's own com.sun.net.httpserver.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

public class Service {
    static final String FAULT = Contract.FAULT;

    static final List<String> CUSTOMIZATIONS = List.of(
        "{\"id\":\"A-1\",\"name\":\"Bronze\",\"createdAt\":1704067200000,\"attributes\":{\"rank\":3}}",
        "{\"id\":\"A-2\",\"name\":\"Silver\",\"createdAt\":1706745600000,\"attributes\":{\"rank\":2}}",
        "{\"id\":\"A-3\",\"name\":\"Gold\",\"createdAt\":1709251200000,\"attributes\":{\"rank\":1}}",
        "{\"id\":\"A-4\",\"name\":\"Señor\",\"createdAt\":1711929600000,\"attributes\":{}}");

    static void handle(HttpExchange exchange) throws IOException {
        try {
            respond(exchange, 200, answer(exchange));
        } catch (Contract.Failure failure) {
            respond(exchange, failure.status, failure.body());
        } catch (RuntimeException error) {
            if (FAULT.equals("null-key")) throw error;
            error.printStackTrace();
            respond(exchange, 500, Contract.INTERNAL.body());
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

    static String answer(HttpExchange exchange) throws Contract.Failure {
        String apiKey = exchange.getRequestHeaders().getFirst("X-Api-Key");
        String secretKey = exchange.getRequestHeaders().getFirst("X-Secret-Key");
        String version = exchange.getRequestHeaders().getFirst("X-Version");
        // Looked up before it is checked.
        if (FAULT.equals("null-key")) Contract.CLIENTS.get(apiKey);
        Contract.Client client = Contract.check(apiKey, secretKey, version);

        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        boolean known = FAULT.equals("context-is-a-prefix")
            ? path.startsWith(exchange.getHttpContext().getPath()) && path.startsWith("/api/customizations/list")
            : path.equals("/api/customizations/list");
        boolean get = method.equals("GET") || method.equals("HEAD");
        Contract.permit(client, known && get && version.equals("1"));

        int limit = limit(exchange.getRequestURI().getRawQuery());
        return CUSTOMIZATIONS.stream().limit(limit).collect(Collectors.joining(",", "{\"customizations\":[", "]}"));
    }

    static int limit(String query) throws Contract.Failure {
        List<String> given = new ArrayList<>();
        for (String pair : query == null ? new String[0] : query.split("&")) {
            String[] parts = pair.split("=", 2);
            if (URLDecoder.decode(parts[0], StandardCharsets.UTF_8).equals("limit")) {
                given.add(parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
            }
        }
        if (given.isEmpty()) return CUSTOMIZATIONS.size();
        boolean digits = FAULT.equals("parse-int-limit") || given.get(0).matches("[0-9]{1,3}");
        try {
            int limit = Integer.parseInt(given.get(0));
            if (digits && limit >= 1 && limit <= 100) return limit;
        } catch (NumberFormatException error) {
            // refused below
        }
        throw Contract.failure("1030");
    }

    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT")));
        HttpServer server = HttpServer.create(address, 0);
        server.createContext("/", Service::handle);
        if (FAULT.equals("context-is-a-prefix")) server.createContext("/api/customizations/list", Service::handle);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
    }
}
