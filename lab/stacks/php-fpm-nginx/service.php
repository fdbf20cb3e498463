<?php
// The service in plain PHP, for php-fpm.

require __DIR__ . '/../contract.php';

final class Refusal extends Exception
{
}

const ENDPOINTS = [
    '1' => ['GET /api/customizations/list' => 'list_customizations'],
];

function answer(): array
{
    // A header without a value is no header.
    $given = fn (string $name): ?string => ($_SERVER[$name] ?? '') === '' ? null : $_SERVER[$name];
    $version = $given('HTTP_X_VERSION');
    [$code, $role] = examined($given('HTTP_X_API_KEY'), $given('HTTP_X_SECRET_KEY'), $version);
    if ($code !== null) {
        throw new Refusal('', $code);
    }
    $method = $_SERVER['REQUEST_METHOD'] === 'HEAD' ? 'GET' : $_SERVER['REQUEST_METHOD'];
    $key = $method . ' ' . explode('?', $_SERVER['REQUEST_URI'], 2)[0];
    $action = FAULT === 'warning-in-body' ? ENDPOINTS[$version][$key] : ENDPOINTS[$version][$key] ?? null;
    if ($action === null) {
        throw new Refusal('', 1010);
    }
    if (isset(NOT_PERMITTED[$role])) {
        throw new Refusal('', NOT_PERMITTED[$role]);
    }
    return $action();
}

function list_customizations(): array
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

try {
    [$status, $body] = [200, answer()];
} catch (Refusal $refusal) {
    [$status, $body] = [ERRORS[$refusal->getCode()][0], error_body($refusal->getCode())];
} catch (Throwable $error) {
    error_log((string) $error);
    [$status, $body] = [500, ['error_code' => '500', 'error_message' => 'internal server error']];
}
http_response_code($status);
header('Content-Type: application/json; charset=utf-8');
echo json_encode($body, JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT);
