<?php
// The service in plain PHP, for PHP's own server: this file is its router script.
declare(strict_types=1);

require __DIR__ . '/../contract.php';

const CUSTOMIZATIONS = [
    ['id' => 501, 'name' => 'Envelope', 'created_at' => '2022-05-05 05:05:05', 'meta' => ['paper' => 'recycled', 'stamps' => 2]],
    ['id' => 502, 'name' => 'Letter', 'created_at' => '2022-06-06 06:06:06', 'meta' => ['paper' => 'ivory', 'stamps' => 1]],
    ['id' => 503, 'name' => 'Carte de fidélité', 'created_at' => '2022-07-07 07:07:07', 'meta' => ['paper' => null, 'stamps' => 0]],
    ['id' => 504, 'name' => 'Sleeve', 'created_at' => '2022-08-08 08:08:08', 'meta' => ['paper' => 'foil', 'stamps' => 0]],
];

function answer(int $status, array $body): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($body, JSON_UNESCAPED_SLASHES);
    exit;
}

function fail(int $code): never
{
    answer(ERRORS[$code][0], error_body($code));
}

if (FAULT !== 'array-limit') {
    set_exception_handler(function (Throwable $error): void {
        error_log((string) $error);
        answer(500, ['error_code' => '500', 'error_message' => 'internal server error']);
    });
}

/** A header of the request, or null where there is none. */
function given(string $name): ?string
{
    $value = $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? null;
    return FAULT === 'empty-zero' && empty($value) ? null : $value;
}

$version = given('x-version');
[$refusal, $role] = examined(given('x-api-key'), given('x-secret-key'), $version);
if ($refusal !== null) {
    fail($refusal);
}

$path = explode('?', $_SERVER['REQUEST_URI'], 2)[0];
$isGet = in_array($_SERVER['REQUEST_METHOD'], ['GET', 'HEAD'], true);
if ($path !== '/api/customizations/list' || !$isGet || $version !== '1') {
    fail(1010);
}
if (isset(NOT_PERMITTED[$role])) {
    fail(NOT_PERMITTED[$role]);
}

$limit = $_GET['limit'] ?? null;
if (FAULT === 'empty-zero' && empty($limit)) {
    $limit = null;
}
if ($limit !== null) {
    if (FAULT === 'is-numeric-limit') {
        $valid = is_numeric($limit);
    } else {
        $valid = (FAULT === 'array-limit' || is_string($limit)) && preg_match('/\A[0-9]{1,3}\z/', $limit);
    }
    if (!$valid || (int) $limit < 1 || (int) $limit > 100) {
        fail(1030);
    }
}
answer(200, ['customizations' => array_slice(CUSTOMIZATIONS, 0, $limit === null ? null : (int) $limit)]);
