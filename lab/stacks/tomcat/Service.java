// The service as a servlet, in an embedded Tomcat.
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.json.JSONParser;

public class Service extends HttpServlet {
    static final String FAULT = Optional.ofNullable(System.getenv("FAULT")).orElse("");

    enum Role { permitted, second, noCustomer, inactive, unauthorized, exhausted }

    static class Client {
        final Role role;
        final byte[] secret;

        Client(Role role, String secret) {
            this.role = role;
            this.secret = secret.getBytes(StandardCharsets.UTF_8);
        }
    }

    static class Failure extends Exception {
        static final Failure ENDPOINT_NOT_FOUND =
            new Failure(400, "1010", "endpoint not found for the specified version");

        final int status;
        final String code;

        Failure(int status, String code, String message) {
            super(message, null, false, false);
            this.status = status;
            this.code = code;
        }
    }

    static final String[] CUSTOMIZATIONS = {
        "{\"id\":\"cu-31\",\"name\":\"Fächer\",\"active\":true,\"changed\":\"2024-10-10T10:10:10.101Z\",\"rules\":{\"min\":1,\"max\":5}}",
        "{\"id\":\"cu-32\",\"name\":\"Ruban\",\"active\":true,\"changed\":\"2024-11-11T11:11:11.111Z\",\"rules\":{}}",
        "{\"id\":\"cu-33\",\"name\":\"Ribbon\",\"active\":false,\"changed\":\"2024-12-12T12:12:12.121Z\",\"rules\":{\"max\":9.5}}",
    };

    private static boolean quotaExceeded;

    private final Map<String, Client> clients = new TreeMap<>();

    @Override
    public void init() throws ServletException {
        try {
            String text = Files.readString(Path.of(System.getenv("CLIENTS")));
            for (Map.Entry<String, Object> entry : new JSONParser(text).parseObject().entrySet()) {
                Map<?, ?> fields = (Map<?, ?>) entry.getValue();
                Client client = new Client(Role.valueOf(entry.getKey()), (String) fields.get("secretKey"));
                clients.put((String) fields.get("apiKey"), client);
            }
        } catch (Exception error) {
            throw new ServletException(error);
        }
    }

    static void respond(HttpServletResponse response, int status, String json) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        if (!FAULT.equals("latin-1-writer")) response.setCharacterEncoding("UTF-8");
        PrintWriter writer = response.getWriter();
        writer.write(json);
        writer.flush();
    }

    static void respond(HttpServletResponse response, Failure failure) throws IOException {
        respond(response, failure.status,
            String.format("{\"error_code\": \"%s\", \"error_message\": \"%s\"}", failure.code, failure.getMessage()));
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            respond(response, 200, answer(request));
        } catch (Failure failure) {
            respond(response, failure);
        } catch (RuntimeException error) {
            log("request failed", error);
            respond(response, new Failure(500, "500", "internal server error"));
        }
    }

    private String answer(HttpServletRequest request) throws Failure {
        String apiKey = request.getHeader("x-api-key");
        if (apiKey == null) throw new Failure(400, "1001", "api key header is missing");
        String secretKey = request.getHeader("x-secret-key");
        if (secretKey == null) throw new Failure(400, "1002", "secret key header is missing");
        if (request.getHeader("x-version") == null) throw new Failure(400, "1003", "version header is missing");

        Client client = clients.get(apiKey);
        if (client == null) throw new Failure(401, "1006", "invalid api key");
        if (!MessageDigest.isEqual(secretKey.getBytes(StandardCharsets.UTF_8), client.secret)) {
            throw new Failure(401, "1007", "invalid secret key");
        }
        boolean exceeded = client.role == Role.exhausted;
        if (FAULT.equals("static-quota")) {
            quotaExceeded |= exceeded;
            exceeded = quotaExceeded;
        }
        if (client.role == Role.noCustomer) throw new Failure(401, "1012", "customer not found");
        if (exceeded) throw new Failure(429, "1020", "daily quota limit exceeded");
        if (!exists(request)) throw Failure.ENDPOINT_NOT_FOUND;
        if (client.role == Role.inactive) throw new Failure(401, "1011", "inactive endpoint");
        if (client.role == Role.unauthorized) throw new Failure(401, "1013", "unauthorized_endpoint");

        String[] limits = request.getParameterValues("limit");
        boolean undecodable = request.getAttribute("org.apache.catalina.parameter_parse_failed") != null;
        int limit = 100;
        if (limits != null || undecodable) {
            if (undecodable || limits.length > 1 || !limits[0].matches("0*([1-9][0-9]?|100)")) {
                throw new Failure(400, "1030", "invalid input parameters");
            }
            limit = Integer.parseInt(limits[0]);
        }
        StringBuilder json = new StringBuilder("{\"customizations\": [");
        for (int index = 0; index < Math.min(limit, CUSTOMIZATIONS.length); index++) {
            json.append(index == 0 ? "" : ", ").append(CUSTOMIZATIONS[index]);
        }
        return json.append("]}").toString();
    }

    private static boolean exists(HttpServletRequest request) {
        boolean version = FAULT.equals("int-header")
            ? request.getIntHeader("x-version") == 1
            : request.getHeader("x-version").equals("1");
        String method = request.getMethod();
        return version && (method.equals("GET") || method.equals("HEAD"))
            && request.getRequestURI().equals("/api/customizations/list");
    }

    /** What Tomcat refuses before the servlet sees it. */
    static class JsonErrors extends ErrorReportValve {
        @Override
        protected void report(Request request, Response response, Throwable error) {
            if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) return;
            try {
                Failure failure = response.getStatus() >= 500
                    ? new Failure(500, "500", "internal server error")
                    : Failure.ENDPOINT_NOT_FOUND;
                response.setStatus(failure.status);
                response.setContentType("application/json");
                response.setCharacterEncoding("UTF-8");
                PrintWriter writer = response.getReporter();
                if (writer == null) return;
                writer.write(String.format("{\"error_code\": \"%s\", \"error_message\": \"%s\"}", failure.code, failure.getMessage()));
                response.finishResponse();
            } catch (IOException ignored) {
                // the client has gone
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getenv("SCRATCH"));
        Connector connector = new Connector();
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(Integer.parseInt(System.getenv("PORT")));
        connector.setAllowTrace(true);
        // Left to the service, as browsers and other clients send them.
        connector.setProperty("relaxedQueryChars", "[]|{}^\\`\"<>");
        connector.setProperty("relaxedPathChars", "[]|{}^\\`\"<>");
        tomcat.setConnector(connector);

        StandardHost host = (StandardHost) tomcat.getHost();
        host.setErrorReportValveClass("");
        host.getPipeline().addValve(new JsonErrors());
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "service", new Service()).setLoadOnStartup(1);
        context.addServletMappingDecoded("/*", "service");

        tomcat.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));
        tomcat.getServer().await();
    }
}
