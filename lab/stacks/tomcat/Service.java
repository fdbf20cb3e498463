// The service as a servlet, in an embedded Tomcat.
import java.io.IOException;
import java.io.PrintWriter;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

public class Service extends HttpServlet {
    static final String FAULT = Contract.FAULT;

    static final String[] CUSTOMIZATIONS = {
        "{\"id\":\"cu-31\",\"name\":\"Fächer\",\"active\":true,\"changed\":\"2024-10-10T10:10:10.101Z\",\"rules\":{\"min\":1,\"max\":5}}",
        "{\"id\":\"cu-32\",\"name\":\"Ruban\",\"active\":true,\"changed\":\"2024-11-11T11:11:11.111Z\",\"rules\":{}}",
        "{\"id\":\"cu-33\",\"name\":\"Ribbon\",\"active\":false,\"changed\":\"2024-12-12T12:12:12.121Z\",\"rules\":{\"max\":9.5}}",
    };

    private static boolean quotaExceeded;

    static void respond(HttpServletResponse response, int status, String json) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        if (!FAULT.equals("latin-1-writer")) response.setCharacterEncoding("UTF-8");
        PrintWriter writer = response.getWriter();
        writer.write(json);
        writer.flush();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            respond(response, 200, answer(request));
        } catch (Contract.Failure failure) {
            respond(response, failure.status, failure.body());
        } catch (RuntimeException error) {
            log("request failed", error);
            respond(response, 500, Contract.INTERNAL.body());
        }
    }

    private String answer(HttpServletRequest request) throws Contract.Failure {
        Contract.Client client;
        try {
            client = Contract.check(
                request.getHeader("x-api-key"), request.getHeader("x-secret-key"), request.getHeader("x-version"));
        } catch (Contract.Failure failure) {
            quotaExceeded |= failure.code.equals("1020");
            throw failure;
        }
        if (FAULT.equals("static-quota") && quotaExceeded) throw Contract.failure("1020");
        Contract.permit(client, exists(request));

        String[] limits = request.getParameterValues("limit");
        boolean undecodable = request.getAttribute("org.apache.catalina.parameter_parse_failed") != null;
        String limit = undecodable || limits != null && limits.length > 1 ? "" : limits == null ? "100" : limits[0];
        if (!limit.matches("0*([1-9][0-9]?|100)")) throw Contract.failure("1030");
        Stream<String> shown = Stream.of(CUSTOMIZATIONS).limit(Integer.parseInt(limit));
        return shown.collect(Collectors.joining(", ", "{\"customizations\": [", "]}"));
    }

    private static boolean exists(HttpServletRequest request) {
        boolean version = FAULT.equals("int-header")
            ? request.getIntHeader("x-version") == 1
            : request.getHeader("x-version").equals("1");
        boolean get = request.getMethod().matches("GET|HEAD");
        return version && get && request.getRequestURI().equals("/api/customizations/list");
    }

    /** What Tomcat refuses before the servlet sees it. */
    static class JsonErrors extends ErrorReportValve {
        @Override
        protected void report(Request request, Response response, Throwable error) {
            if (response.getStatus() < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) return;
            try {
                Contract.Failure failure = response.getStatus() >= 500 ? Contract.INTERNAL : Contract.failure("1010");
                response.setStatus(failure.status);
                response.setContentType("application/json");
                response.setCharacterEncoding("UTF-8");
                PrintWriter writer = response.getReporter();
                if (writer == null) return;
                writer.write(failure.body());
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
        tomcat.getServer().await();
    }
}
