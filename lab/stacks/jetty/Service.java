// The service as a servlet, in Jetty.
import java.io.FileReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.http.BadMessageException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;
import org.eclipse.jetty.util.ajax.JSON;

public class Service extends HttpServlet {
    static final String FAULT = System.getenv().getOrDefault("FAULT", "");

    static final Map<Integer, String> MESSAGES = Map.ofEntries(
        Map.entry(1001, "api key header is missing"),
        Map.entry(1002, "secret key header is missing"),
        Map.entry(1003, "version header is missing"),
        Map.entry(1006, "invalid api key"),
        Map.entry(1007, "invalid secret key"),
        Map.entry(1010, "endpoint not found for the specified version"),
        Map.entry(1011, "inactive endpoint"),
        Map.entry(1012, "customer not found"),
        Map.entry(1013, "unauthorized_endpoint"),
        Map.entry(1020, "daily quota limit exceeded"),
        Map.entry(1030, "invalid input parameters"));

    private final Map<String, Map<String, String>> clients = new HashMap<>();
    private final Map<String, String> roles = new HashMap<>();
    private final List<Map<String, Object>> customizations = new ArrayList<>();

    // Only for one of the faults.
    private String given;

    @SuppressWarnings("unchecked")
    Service(String path) throws IOException {
        try (FileReader reader = new FileReader(path, StandardCharsets.UTF_8)) {
            ((Map<String, Map<String, String>>) JSON.parse(reader)).forEach((role, client) -> {
                clients.put(client.get("apiKey"), client);
                roles.put(client.get("apiKey"), role);
            });
        }
        String[] names = {"Spring", "Summer", "Autumn", "Winter"};
        for (int index = 0; index < names.length; index++) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("id", 4000L + index);
            one.put("displayName", names[index]);
            one.put("validFrom", "2025-0" + (3 * index + 1) % 10 + "-01");
            one.put("theme", Map.of("primary", "#00aa" + index + index, "dark", index % 2 == 1));
            customizations.add(one);
        }
    }

    static byte[] error(int code) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("error_code", String.valueOf(code));
        body.put("error_message", MESSAGES.getOrDefault(code, "internal server error"));
        return JSON.toString(body).getBytes(StandardCharsets.UTF_8);
    }

    static int status(int code) {
        switch (code) {
            case 1006: case 1007: case 1011: case 1012: case 1013: return 401;
            case 1020: return 429;
            case 500: return 500;
            default: return 400;
        }
    }

    static void write(HttpServletResponse response, int status, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    static void refuse(HttpServletResponse response, int code) throws IOException {
        if (FAULT.equals("send-error") && (code == 1011 || code == 1013)) {
            response.sendError(401, MESSAGES.get(code));
            return;
        }
        write(response, status(code), error(code));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int refusal = check(request);
        if (refusal != 0) {
            refuse(response, refusal);
            return;
        }

        String limit;
        try {
            limit = request.getParameter("limit");
        } catch (BadMessageException error) {
            refuse(response, 1030);
            return;
        }
        int count = 100;
        if (limit != null) {
            if (!limit.matches("[0-9]+")) {
                refuse(response, 1030);
                return;
            }
            count = limit.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(limit);
            if (FAULT.equals("clamped-limit")) count = Math.max(1, Math.min(count, 100));
            if (count < 1 || count > 100) {
                refuse(response, 1030);
                return;
            }
        }
        List<Map<String, Object>> shown = customizations.subList(0, Math.min(count, customizations.size()));
        write(response, 200, JSON.toString(Map.of("customizations", shown.toArray())).getBytes(StandardCharsets.UTF_8));
    }

    /** The code of what is wrong with the request, 0 if it may be served. */
    int check(HttpServletRequest request) {
        String apiKey = request.getHeader("x-api-key");
        String secretKey = request.getHeader("x-secret-key");
        String version = request.getHeader("x-version");
        if (apiKey == null) return 1001;
        if (secretKey == null) return 1002;
        if (version == null) return 1003;

        given = secretKey;
        Map<String, String> client = clients.get(apiKey);
        if (client == null) return 1006;
        if (FAULT.equals("secret-in-field")) {
            pause();
            secretKey = given;
        }
        if (!MessageDigest.isEqual(secretKey.getBytes(StandardCharsets.ISO_8859_1),
                client.get("secretKey").getBytes(StandardCharsets.ISO_8859_1))) return 1007;
        String role = roles.get(apiKey);
        if (role.equals("noCustomer")) return 1012;
        if (role.equals("exhausted")) return 1020;

        boolean get = request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
        if (!get || !version.equals("1") || !request.getRequestURI().equals("/api/customizations/list")) return 1010;
        if (role.equals("inactive")) return 1011;
        if (role.equals("unauthorized")) return 1013;
        return 0;
    }

    /** As long as a look at a database takes. */
    static void pause() {
        try {
            Thread.sleep(3);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** What Jetty refuses before the servlet sees it. */
    static class JsonErrors extends ErrorHandler {
        @Override
        public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            base.setHandled(true);
            int code = response.getStatus() >= 500 ? 500 : 1010;
            Service.write(response, status(code), error(code));
        }

        @Override
        public ByteBuffer badMessageError(int status, String reason, HttpFields fields) {
            fields.put(HttpHeader.CONTENT_TYPE, "application/json");
            // The status is Jetty's own, and 1010 is documented under 400 only.
            if (status == 400) return ByteBuffer.wrap(error(1010));
            return ByteBuffer.wrap(JSON.toString(Map.of("message", String.valueOf(reason))).getBytes(StandardCharsets.UTF_8));
        }
    }

    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        server.addConnector(connector);

        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Service(System.getenv("CLIENTS"))), "/*");
        if (!FAULT.equals("send-error")) {
            context.setErrorHandler(new JsonErrors());
            server.setErrorHandler(new JsonErrors());
        }
        server.setHandler(context);
        server.setStopAtShutdown(true);
        server.setStopTimeout(0);
        server.start();
        server.join();
    }
}
