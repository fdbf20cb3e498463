<?php
// What the services in PHP have in common: the clients and the errors, and the checks of credentials.

define('FAULT', (string) getenv('FAULT'));
// By code, its status and message.
define('ERRORS', json_decode(file_get_contents(__DIR__ . '/errors.json'), true, 512, JSON_THROW_ON_ERROR));
// For clients that may not use an endpoint which is there.
const NOT_PERMITTED = ['inactive' => 1011, 'unauthorized' => 1013];

function error_body(int $code): array
{
    return ['error_code' => (string) $code, 'error_message' => ERRORS[$code][1]];
}

/** The code of what is wrong with the credentials, null if nothing is; and the role of the client. */
function examined(?string $apiKey, ?string $secretKey, ?string $version): array
{
    foreach ([1001 => $apiKey, 1002 => $secretKey, 1003 => $version] as $code => $given) {
        if ($given === null) {
            return [$code, null];
        }
    }
    $clients = json_decode(file_get_contents(getenv('CLIENTS')), true, 512, JSON_THROW_ON_ERROR);
    foreach ($clients as $role => $client) {
        if ($client['apiKey'] === $apiKey) {
            $refusals = ['noCustomer' => 1012, 'exhausted' => 1020];
            return [hash_equals($client['secretKey'], $secretKey) ? $refusals[$role] ?? null : 1007, $role];
        }
    }
    return [1006, null];
}
