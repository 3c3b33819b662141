<?php
// PECL's oauth: a form with bracketed fields, then JSON, a filter and a deletion. Reads its settings, prints its steps.

$settings = json_decode(file_get_contents('php://stdin'), true);
$oauth = new OAuth($settings['consumerKey'], $settings['consumerSecret'], $settings['method'], OAUTH_AUTH_TYPE_AUTHORIZATION);
$oauth->setToken($settings['accessToken'], $settings['accessSecret']);

function step(string $name, string $method, string $path, $content = null, array $headers = []): ?array
{
    global $oauth, $settings;
    try {
        $oauth->fetch($settings['url'] . $path, $content, $method, $headers);
    } catch (OAuthException $refused) {
        fwrite(STDERR, $refused->getMessage());
    }
    $body = json_decode((string) $oauth->getLastResponse(), true);
    echo json_encode([$name, $oauth->getLastResponseInfo()['http_code'], $body]), "\n";
    return $body;
}

$created = step('create', OAUTH_HTTP_METHOD_POST, '/users', $settings['fields']);
$path = '/users/' . $created['accountHolder']['ref'];
step('edit', OAUTH_HTTP_METHOD_PUT, $path, json_encode($settings['changes']), ['Content-Type' => 'application/json']);
step('list', OAUTH_HTTP_METHOD_GET, '/users', ['username' => $settings['fields']['username'], 'limit' => 5]);
step('delete', OAUTH_HTTP_METHOD_DELETE, $path);
