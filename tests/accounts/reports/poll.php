<?php
// Polls a report with PHP's curl: a line for every response, "pending" after so many polls, and then on until it is done.
[, $base, $path, $authorization, $polls] = $argv;
$handle = curl_init();

function get(string $target, string $id): int
{
    global $base, $authorization, $handle;
    $seen = null;
    curl_setopt_array($handle, [
        CURLOPT_URL => $base . $target,
        CURLOPT_HTTPHEADER => ["Authorization: $authorization", "X-Request-Id: $id"],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
        CURLOPT_PROXY => "",
        CURLOPT_HEADERFUNCTION => function ($handle, string $line) use (&$seen): int {
            if (stripos($line, "x-request-id:") === 0) {
                $seen = trim(substr($line, 13));
            }
            return strlen($line);
        },
    ]);
    $body = curl_exec($handle);
    $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    echo json_encode([$target, $id, $status, $seen, $body], JSON_UNESCAPED_SLASHES), "\n";
    return $status;
}

for ($number = 0; $number < (int) $polls; $number++) {
    get($path, "poll-$number");
    if ($number % 10 === 9) {
        get("/health/live", "live-$number");
    }
}
echo "pending\n";
while (get($path, "end") !== 200);
