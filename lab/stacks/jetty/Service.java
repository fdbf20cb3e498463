// The service as a servlet, in Jetty.
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
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
    static final String FAULT = Contract.FAULT;

    private final List<Map<String, Object>> customizations = new ArrayList<>();

    // Only for one of the faults.
    private String given;

    Service() {
        String[] names = {"Spring", "Summer", "Autumn", "Winter"};
        for (int index = 0; index < names.length; index++) {
            Map<String, Object> one = new LinkedHashMap<>(Map.of("id", 4000L + index));
            one.put("displayName", names[index]);
            one.put("validFrom", "2025-0" + (3 * index + 1) % 10 + "-01");
            one.put("theme", Map.of("primary", "#00aa" + index + index, "dark", index % 2 == 1));
            customizations.add(one);
        }
    }

    static void write(HttpServletResponse response, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    static void refuse(HttpServletResponse response, Contract.Failure failure) throws IOException {
        if (FAULT.equals("send-error") && (failure.code.equals("1011") || failure.code.equals("1013"))) {
            response.sendError(401, failure.getMessage());
            return;
        }
        write(response, failure.status, failure.body());
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            check(request);
            List<Map<String, Object>> shown = customizations.subList(0, Math.min(limit(request), customizations.size()));
            write(response, 200, JSON.toString(Map.of("customizations", shown.toArray())));
        } catch (Contract.Failure failure) {
            refuse(response, failure);
        }
    }

    static int limit(HttpServletRequest request) throws Contract.Failure {
        String limit;
        try {
            limit = request.getParameter("limit");
        } catch (BadMessageException error) {
            throw Contract.failure("1030");
        }
        if (limit == null) return 100;
        if (!limit.matches("[0-9]+")) throw Contract.failure("1030");
        int count = limit.length() > 9 ? Integer.MAX_VALUE : Integer.parseInt(limit);
        if (FAULT.equals("clamped-limit")) count = Math.max(1, Math.min(count, 100));
        if (count < 1 || count > 100) throw Contract.failure("1030");
        return count;
    }

    void check(HttpServletRequest request) throws Contract.Failure {
        String apiKey = request.getHeader("x-api-key");
        String secretKey = request.getHeader("x-secret-key");
        String version = request.getHeader("x-version");
        if (FAULT.equals("secret-in-field") && apiKey != null && secretKey != null && version != null) {
            given = secretKey;
            LockSupport.parkNanos(3_000_000); // as long as a look at a database takes
            secretKey = given;
        }
        Contract.Client client = Contract.check(apiKey, secretKey, version);

        boolean get = request.getMethod().matches("GET|HEAD");
        Contract.permit(client, get && request.getRequestURI().equals("/api/customizations/list") && version.equals("1"));
    }

    /** What Jetty refuses before the servlet sees it. */
    static class JsonErrors extends ErrorHandler {
        @Override
        public void handle(String target, Request base, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            base.setHandled(true);
            Contract.Failure failure = response.getStatus() >= 500 ? Contract.INTERNAL : Contract.failure("1010");
            Service.write(response, failure.status, failure.body());
        }

        @Override
        public ByteBuffer badMessageError(int status, String reason, HttpFields fields) {
            fields.put(HttpHeader.CONTENT_TYPE, "application/json");
            // The status is Jetty's own, and 1010 is documented under 400 only.
            String other = JSON.toString(Map.of("message", String.valueOf(reason)));
            String body = status == 400 ? Contract.failure("1010").body() : other;
            return ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8));
        }
    }

    public static void main(String[] arguments) throws Exception {
        Server server = new Server();
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        server.addConnector(connector);

        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Service()), "/*");
        if (!FAULT.equals("send-error")) {
            context.setErrorHandler(new JsonErrors());
            server.setErrorHandler(new JsonErrors());
        }
        server.setHandler(context);
        server.start();
    }
}
