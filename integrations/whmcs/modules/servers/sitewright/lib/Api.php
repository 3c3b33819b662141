<?php

declare(strict_types=1);

namespace WHMCS\Module\Server\Sitewright;

/** Calls the Sitewright API with HTTP Basic. Every call may be repeated, so a call without a response is. */
final class Api
{
    private const ATTEMPTS = 3;
    private const TEMPORARY = [0, 408, 429, 502, 503, 504];
    private const SECRET_FIELDS = ['password', 'hash', 'flowUrl'];

    public readonly string $url;

    /** @param array $params what the panel passes to every function of a module */
    public function __construct(private array $params)
    {
        $secure = !empty($params['serversecure']);
        $port = (int) ($params['serverport'] ?? 0) ?: ($secure ? 443 : 80);
        $this->url = ($secure ? 'https://' : 'http://') . ($params['serverhostname'] ?: $params['serverip']) . ":$port";
    }

    /** A path of the brand, whose number is in the server's field Access Hash. */
    public function brand(string $rest): string
    {
        $ref = trim((string) ($this->params['serveraccesshash'] ?? ''));
        if (!ctype_digit($ref)) {
            throw new \RuntimeException("Enter the number of your brand in the server's field Access Hash.");
        }
        return "/brands/$ref$rest";
    }

    public function account(): string
    {
        return $this->brand('/accounts/whmcs-' . (int) $this->params['serviceid']);
    }

    public function call(string $method, string $path, ?array $body = null): array
    {
        return $this->send($method, $path, $body)['body'];
    }

    /** @return iterable the items of all pages of a list */
    public function items(string $path, string $field): iterable
    {
        while ($path) {
            $response = $this->send('GET', $path);
            yield from $response['body'][$field];
            $path = preg_match('~<(/[^>]+)>; rel="next"~', $response['headers']['link'] ?? '', $found) ? $found[1] : '';
        }
    }

    /** @return iterable pairs of an account and its account holder */
    public function accounts(): iterable
    {
        $accounts = iterator_to_array($this->items($this->brand('/accounts?limit=1000'), 'accounts'), false);
        $accounts = array_column($accounts, null, 'userRef');
        foreach ($accounts ? $this->items('/users?limit=1000', 'accountHolders') : [] as $user) {
            if (isset($accounts[$user['ref']])) {
                yield [$accounts[$user['ref']], $user];
            }
        }
    }

    public static function megabytes(mixed $bytes): int
    {
        return (int) ceil((int) $bytes / 1048576);
    }

    private function send(string $method, string $path, ?array $body = null): array
    {
        $id = bin2hex(random_bytes(16));
        for ($attempt = 1; ; $attempt++) {
            $response = $this->attempt($method, $path, $body, $id);
            $wait = (int) ($response['headers']['retry-after'] ?? $attempt);
            $temporary = in_array($response['status'], self::TEMPORARY, true);
            if (!$temporary || $attempt === self::ATTEMPTS || $wait > 10) {
                break;
            }
            usleep($wait * 1000000 + random_int(0, 250000));
        }
        $this->log("$method $path", $body ?? [], $response, $id);
        if ($response['status'] === 0 || $response['status'] >= 400) {
            throw new \RuntimeException(self::message($response) . " (request $id)", $response['status']);
        }
        return $response;
    }

    private function attempt(string $method, string $path, ?array $body, string $id): array
    {
        $headers = [];
        $curl = curl_init($this->url . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_USERPWD => ($this->params['serverusername'] ?? '') . ':' . ($this->params['serverpassword'] ?? ''),
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', "X-Request-Id: $id", "Idempotency-Key: $id"],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => defined('SITEWRIGHT_TIMEOUT') ? (int) constant('SITEWRIGHT_TIMEOUT') : 30,
            CURLOPT_HEADERFUNCTION => function ($_curl, string $line) use (&$headers): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE)]));
        $text = curl_exec($curl);
        $status = $text === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $error = curl_error($curl) ?: "status $status";
        $decoded = (array) json_decode((string) $text, true);
        return ['status' => $status, 'headers' => $headers, 'body' => $decoded, 'error' => $error];
    }

    /** What staff read: what is wrong, which field, what to do. */
    private static function message(array $response): string
    {
        $problem = $response['body'];
        $text = $problem['detail'] ?? "The website service did not respond ({$response['error']}). Run it again.";
        foreach (count($problem['errors'] ?? []) > 1 ? $problem['errors'] : [] as $field => $codes) {
            $text .= " $field: " . implode(', ', $codes) . '.';
        }
        return $text;
    }

    private function log(string $action, array $body, array $response, string $id): void
    {
        $secrets = array_filter([$this->params['serverpassword'] ?? '', $this->params['password'] ?? '']);
        unset($response['headers']);
        logModuleCall('sitewright', $action, self::masked($body), self::masked($response), $id, $secrets);
    }

    private static function masked(array $data): array
    {
        array_walk_recursive($data, function (mixed &$value, int|string $name): void {
            $value = in_array($name, self::SECRET_FIELDS, true) ? '********' : $value;
        });
        return $data;
    }
}
