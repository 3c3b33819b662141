<?php
// Guzzle with HTTP Basic: form_params with nested arrays, json, an empty array as json, query. Prints its steps.

require '/usr/share/php/GuzzleHttp/autoload.php';

$settings = json_decode(file_get_contents('php://stdin'), true);
$client = new GuzzleHttp\Client([
    'base_uri' => $settings['url'], 'auth' => $settings['basic'], 'http_errors' => false, 'proxy' => '',
]);

function step(string $name, string $method, string $path, array $options = []): ?array
{
    global $client;
    $response = $client->request($method, $path, $options);
    $body = json_decode((string) $response->getBody(), true);
    echo json_encode([$name, $response->getStatusCode(), $body]), "\n";
    return $body;
}

$created = step('create', 'POST', '/users', ['form_params' => $settings['user']]);
$path = '/users/' . $created['accountHolder']['ref'];
step('edit', 'PUT', $path, ['json' => $settings['changes']]);
step('log in', 'POST', $path . '/auto-login', ['json' => []]);
step('list', 'GET', '/users', ['query' => ['username' => $settings['user']['username'], 'limit' => 5]]);
step('delete', 'DELETE', $path, ['json' => []]);
