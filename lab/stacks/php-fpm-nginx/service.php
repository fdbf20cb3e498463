<?php
// The service in plain PHP, for php-fpm.

final class Refusal extends Exception
{
}

final class Service
{
    private const ERRORS = [
        '1001' => [400, 'api key header is missing'],
        '1002' => [400, 'secret key header is missing'],
        '1003' => [400, 'version header is missing'],
        '1006' => [401, 'invalid api key'],
        '1007' => [401, 'invalid secret key'],
        '1010' => [400, 'endpoint not found for the specified version'],
        '1011' => [401, 'inactive endpoint'],
        '1012' => [401, 'customer not found'],
        '1013' => [401, 'unauthorized_endpoint'],
        '1020' => [429, 'daily quota limit exceeded'],
        '1030' => [400, 'invalid input parameters'],
    ];

    private const ENDPOINTS = [
        '1' => ['GET /api/customizations/list' => 'listCustomizations'],
    ];

    private string $role;

    public function __construct(private array $clients, private string $fault)
    {
    }

    public function run(): void
    {
        try {
            $this->authenticate();
            $this->send(200, $this->dispatch());
        } catch (Refusal $refusal) {
            [$status, $message] = self::ERRORS[$refusal->getCode()];
            $this->send($status, ['error_code' => (string) $refusal->getCode(), 'error_message' => $message]);
        } catch (Throwable $error) {
            error_log((string) $error);
            $this->send(500, ['error_code' => '500', 'error_message' => 'internal server error']);
        }
    }

    private function send(int $status, array $body): void
    {
        http_response_code($status);
        header('Content-Type: application/json; charset=utf-8');
        echo json_encode($body, JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT);
    }

    private function authenticate(): void
    {
        $apiKey = $_SERVER['HTTP_X_API_KEY'] ?? '';
        $secretKey = $_SERVER['HTTP_X_SECRET_KEY'] ?? '';
        if ($apiKey === '') {
            throw new Refusal('', 1001);
        }
        if ($secretKey === '') {
            throw new Refusal('', 1002);
        }
        if (($_SERVER['HTTP_X_VERSION'] ?? '') === '') {
            throw new Refusal('', 1003);
        }
        foreach ($this->clients as $role => $client) {
            if ($client['apiKey'] === $apiKey) {
                if (!hash_equals($client['secretKey'], $secretKey)) {
                    throw new Refusal('', 1007);
                }
                $this->role = $role;
                return;
            }
        }
        throw new Refusal('', 1006);
    }

    private function dispatch(): array
    {
        if ($this->role === 'noCustomer') {
            throw new Refusal('', 1012);
        }
        if ($this->role === 'exhausted') {
            throw new Refusal('', 1020);
        }
        $version = $_SERVER['HTTP_X_VERSION'];
        $method = $_SERVER['REQUEST_METHOD'] === 'HEAD' ? 'GET' : $_SERVER['REQUEST_METHOD'];
        $key = $method . ' ' . explode('?', $_SERVER['REQUEST_URI'], 2)[0];
        if ($this->fault === 'warning-in-body') {
            $action = self::ENDPOINTS[$version][$key];
        } else {
            $action = self::ENDPOINTS[$version][$key] ?? null;
        }
        if ($action === null) {
            throw new Refusal('', 1010);
        }
        if ($this->role === 'inactive') {
            throw new Refusal('', 1011);
        }
        if ($this->role === 'unauthorized') {
            throw new Refusal('', 1013);
        }
        return $this->$action();
    }

    private function listCustomizations(): array
    {
        $rows = [];
        foreach (['Amber', 'Birch', 'Cedar', 'Décor', 'Elm'] as $index => $name) {
            $rows[] = [
                'id' => sprintf('%08x', 0xbeef00 + $index),
                'name' => $name,
                'updated_at' => gmdate('c', 1720000000 + 86400 * $index),
                'layout' => ['columns' => $index + 1, 'slots' => array_fill(0, $index % 3, 'banner')],
            ];
        }
        if (!array_key_exists('limit', $_GET)) {
            return ['customizations' => $rows, 'count' => count($rows)];
        }
        $limit = filter_var($_GET['limit'], FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 100]]);
        // The filter trims, and admits a plus sign.
        if ($limit === false || !preg_match('/^\d+$/D', $_GET['limit'])) {
            throw new Refusal('', 1030);
        }
        return ['customizations' => array_slice($rows, 0, $limit), 'count' => count($rows)];
    }
}

$clients = json_decode(file_get_contents(getenv('CLIENTS')), true);
(new Service($clients, (string) getenv('FAULT')))->run();
