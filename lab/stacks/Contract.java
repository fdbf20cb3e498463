// What the services in Java have in common: the clients and the errors, and the checks of credentials.
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

final class Contract {
    static final String FAULT = System.getenv().getOrDefault("FAULT", "");

    record Client(String role, String secretKey) {}

    static final class Failure extends Exception {
        final int status;
        final String code;

        Failure(int status, String code, String message) {
            super(message, null, false, false);
            this.status = status;
            this.code = code;
        }

        String body() {
            return String.format("{\"error_code\": \"%s\", \"error_message\": \"%s\"}", code, getMessage());
        }
    }

    static final Failure INTERNAL = new Failure(500, "500", "internal server error");

    // Both files have one form, so that patterns are enough.
    private static final Map<String, Failure> FAILURES =
        found("\"(\\d+)\": \\[(\\d+), \"([^\"]*)\"\\]", Path.of("..", "errors.json")).collect(Collectors.toMap(
            one -> one.group(1), one -> new Failure(Integer.parseInt(one.group(2)), one.group(1), one.group(3))));
    /** By key. */
    static final Map<String, Client> CLIENTS =
        found("\"(\\w+)\":\\{\"apiKey\":\"([^\"]*)\",\"secretKey\":\"([^\"]*)\"", Path.of(System.getenv("CLIENTS")))
            .collect(Collectors.toUnmodifiableMap(one -> one.group(2), one -> new Client(one.group(1), one.group(3))));

    private static Stream<MatchResult> found(String pattern, Path file) {
        try {
            return Pattern.compile(pattern).matcher(Files.readString(file)).results();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static Failure failure(String code) {
        return FAILURES.get(code);
    }

    /** The client of these credentials. */
    static Client check(String apiKey, String secretKey, String version) throws Failure {
        if (apiKey == null) throw failure("1001");
        if (secretKey == null) throw failure("1002");
        if (version == null) throw failure("1003");
        Client client = CLIENTS.get(apiKey);
        if (client == null) throw failure("1006");
        if (!client.secretKey().equals(secretKey)) throw failure("1007");
        if (client.role().equals("noCustomer")) throw failure("1012");
        if (client.role().equals("exhausted")) throw failure("1020");
        return client;
    }

    /** Refuses requests for an endpoint that does not exist, and clients that may not use it. */
    static void permit(Client client, boolean exists) throws Failure {
        if (!exists) throw failure("1010");
        if (client.role().equals("inactive")) throw failure("1011");
        if (client.role().equals("unauthorized")) throw failure("1013");
    }
}
