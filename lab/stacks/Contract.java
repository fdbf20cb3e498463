// What the services in Java have in common: the clients and the errors, and the checks of credentials.
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private static final Map<String, Failure> FAILURES = new HashMap<>();
    /** By key. */
    static final Map<String, Client> CLIENTS;

    // Both files are objects of flat values, so that patterns are enough.
    static {
        Matcher failure = matcher("\"(\\d+)\": \\[(\\d+), \"([^\"]*)\"\\]", Path.of("..", "errors.json"));
        while (failure.find()) {
            String code = failure.group(1);
            FAILURES.put(code, new Failure(Integer.parseInt(failure.group(2)), code, failure.group(3)));
        }
        Map<String, Client> clients = new HashMap<>();
        Matcher object = matcher("\"(\\w+)\"\\s*:\\s*\\{([^}]*)\\}", Path.of(System.getenv("CLIENTS")));
        while (object.find()) {
            Map<String, String> fields = new HashMap<>();
            Matcher field = Pattern.compile("\"(\\w+)\"\\s*:\\s*\"([^\"]*)\"").matcher(object.group(2));
            while (field.find()) fields.put(field.group(1), field.group(2));
            clients.put(fields.get("apiKey"), new Client(object.group(1), fields.get("secretKey")));
        }
        CLIENTS = Map.copyOf(clients);
    }

    private static Matcher matcher(String pattern, Path file) {
        try {
            return Pattern.compile(pattern).matcher(Files.readString(file));
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
        if (!MessageDigest.isEqual(secretKey.getBytes(StandardCharsets.UTF_8),
                client.secretKey().getBytes(StandardCharsets.UTF_8))) throw failure("1007");
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
