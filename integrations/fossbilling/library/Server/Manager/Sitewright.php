<?php

declare(strict_types=1);

/**
 * Server manager of Sitewright. It describes accounts as they shall be (PUT /brands/:brandRef/accounts/:externalId),
 * so the panel may run any action again, after any failure.
 *
 * The panel passes no id of its own, so the external id of a new account is made of what is the same when its activation is
 * run again, and every other action finds the account by its user name.
 */
class Server_Manager_Sitewright extends Server_Manager
{
    private const ATTEMPTS = 3;
    private const LONGEST_WAIT = 10;
    private const TEMPORARY = [0, 408, 429, 502, 503, 504];
    private const SECRET_FIELDS = ['password', 'hash', 'flowUrl'];

    public static function getForm(): array
    {
        $fields = [
            ['username', 'text', 'Operator', "User name of an operator with the role brand-admin"],
            ['password', 'password', 'Password', "The operator's password"],
            ['accesshash', 'text', 'Brand', 'The number of your brand, for example 1'],
        ];
        $field = fn (array $each) => array_combine(['name', 'type', 'label', 'placeholder'], $each) + ['required' => true];
        return ['label' => 'Sitewright', 'form' => ['credentials' => ['fields' => array_map($field, $fields)]]];
    }

    /** The same for the same domain, so that an activation that is run again describes the same account. */
    public function generateUsername(string $domain): string
    {
        $name = trim((string) preg_replace('/[^a-z0-9]+/', '-', strtolower($domain)), '-');
        return ($this->_config['config']['userprefix'] ?? '') . substr($name, 0, 60);
    }

    /** A link that logs the account holder in, once; without an account, the page to log in. */
    public function getLoginUrl(?Server_Account $account = null): string
    {
        if ($account === null) {
            return $this->url() . '/login';
        }
        $found = $this->find($account->getUsername());
        $site = array_filter(['siteRef' => $found['siteRefs'][0] ?? null]);
        return $this->call('POST', "/users/{$found['userRef']}/auto-login", $site)['flowUrl'];
    }

    /** Resellers are not created by this panel; operators log in to the console. */
    public function getResellerLoginUrl(?Server_Account $account = null): string
    {
        return $this->url() . '/console';
    }

    public function testConnection(): bool
    {
        $this->call('GET', $this->accounts('?limit=1'));
        return true;
    }

    public function createAccount(Server_Account $account): bool
    {
        $client = $account->getClient();
        $domain = (string) $account->getDomain();
        $username = $account->getUsername() ?: $this->generateUsername($domain);
        $external = 'fossbilling-' . substr(hash('sha256', strtolower("{$client->getEmail()}|$domain|$username")), 0, 32);
        [$first, $last] = $this->names($client, $username);
        $description = [
            'accountHolder' => [
                'firstName' => $first, 'lastName' => $last, 'username' => $username, 'email' => $client->getEmail(),
                'password' => $account->getPassword(),
                'languageCode' => $account->getPackage()->getCustomValue('language') ?: 'en',
            ] + $this->contact($client),
            'package' => $this->package($account->getPackage()),
            'suspended' => false,
        ];
        if ($domain !== '') {
            $template = (int) $account->getPackage()->getCustomValue('template');
            $site = ['domain' => $domain, 'businessName' => $client->getCompany() ?: $domain];
            $description['sites'] = [$site + ($template ? ['templateRef' => $template] : [])];
        }
        $this->call('PUT', $this->accounts("/$external"), $description);
        return true;
    }

    /** The account as the website service has it. */
    public function synchronizeAccount(Server_Account $account): Server_Account
    {
        $found = $this->find($account->getUsername());
        $new = clone $account;
        $new->setSuspended($found['suspended']);
        return $new;
    }

    public function suspendAccount(Server_Account $account): bool
    {
        return $this->describe($account, ['suspended' => true]);
    }

    public function unsuspendAccount(Server_Account $account): bool
    {
        return $this->describe($account, ['suspended' => false]);
    }

    /** Soft: the sites go offline, and are kept. */
    public function cancelAccount(Server_Account $account): bool
    {
        $found = $this->find($account->getUsername(), required: false);
        if ($found) {
            $this->call('DELETE', $this->accounts("/{$found['externalId']}"), allowed: [404]);
        }
        return true;
    }

    public function changeAccountPackage(Server_Account $account, Server_Package $package): bool
    {
        return $this->describe($account, ['package' => $this->package($package)]);
    }

    /** Run again after a lost response, the account has the new name already. */
    public function changeAccountUsername(Server_Account $account, string $newUsername): bool
    {
        $found = $this->find($account->getUsername(), required: false) ?? $this->find($newUsername);
        $this->call('PUT', $this->accounts("/{$found['externalId']}"), ['accountHolder' => ['username' => $newUsername]]);
        return true;
    }

    /** Adds the new name, makes it the primary one and removes the former; a site that has it already is left as it is. */
    public function changeAccountDomain(Server_Account $account, string $newDomain): bool
    {
        $found = $this->find($account->getUsername());
        $former = strtolower((string) $account->getDomain());
        $sites = array_map(fn (int $ref) => $this->call('GET', "/sites/$ref")['site'], $found['siteRefs']);
        $names = array_merge(...array_map(fn (array $site) => array_values($site['domains']), $sites), ...[[]]);
        $path = $this->accounts("/{$found['externalId']}");
        if (!in_array(strtolower($newDomain), $names, true)) {
            $others = array_values(array_diff($this->namesOfSite($sites, $former), [$former]));
            $this->call('PUT', $path, ['sites' => [['domain' => $former, 'domains' => [...$others, $newDomain]]]]);
            $names[] = strtolower($newDomain);
        }
        if (in_array($former, $names, true)) {
            $others = array_values(array_diff($this->namesOfSite($sites, $former), [$former, strtolower($newDomain)]));
            $this->call('PUT', $path, ['sites' => [['domain' => $newDomain, 'domains' => $others]]]);
        }
        return true;
    }

    public function changeAccountPassword(Server_Account $account, string $newPassword): bool
    {
        return $this->describe($account, ['accountHolder' => ['password' => $newPassword]]);
    }

    public function changeAccountIp(Server_Account $account, string $newIp): bool
    {
        throw new Server_Exception('Sites have no address of their own; the website service serves all of them.');
    }

    private function describe(Server_Account $account, array $description): bool
    {
        $found = $this->find($account->getUsername());
        $this->call('PUT', $this->accounts("/{$found['externalId']}"), $description);
        return true;
    }

    /** The account of a user name; the list of accounts is in the order of users. */
    private function find(?string $username, bool $required = true): ?array
    {
        $users = $this->call('GET', '/users?username=' . rawurlencode((string) $username))['accountHolders'];
        foreach ($users as $user) {
            $after = $user['ref'] > 1 ? '&after=' . ($user['ref'] - 1) : '';
            $account = $this->call('GET', $this->accounts("?limit=1$after"))['accounts'][0] ?? null;
            if ($account && $account['userRef'] === $user['ref']) {
                return $account;
            }
        }
        if ($required) {
            throw new Server_Exception('The website service has no account :name of this panel.', [':name' => $username]);
        }
        return null;
    }

    /** The host names of the site that has this one. */
    private function namesOfSite(array $sites, string $name): array
    {
        foreach ($sites as $site) {
            if (in_array($name, $site['domains'], true)) {
                return array_values($site['domains']);
            }
        }
        return [];
    }

    private function package(Server_Package $package): array
    {
        $ref = (int) $package->getCustomValue('package');
        if ($ref < 1) {
            throw new Server_Exception('Add the parameter "package" with the number of a package to the hosting plan.');
        }
        $months = (int) $package->getCustomValue('months');
        return ['packageRef' => $ref] + ($months ? ['billingFrequency' => $months] : []);
    }

    private function names(Server_Client $client, string $username): array
    {
        $parts = explode(' ', trim((string) $client->getFullName()), 2) + ['', ''];
        return [$parts[0] ?: $username, $parts[1] ?: $parts[0] ?: $username];
    }

    private function contact(Server_Client $client): array
    {
        $values = [
            'phoneNumber' => $client->getTelephone(), 'address1' => $client->getStreet(), 'city' => $client->getCity(),
            'state' => $client->getState(), 'postcode' => $client->getZip(), 'country' => $client->getCountry(),
            'company' => $client->getCompany(),
        ];
        return array_filter($values);
    }

    private function url(): string
    {
        $secure = (bool) $this->_config['secure'];
        $port = (int) $this->_config['port'] ?: ($secure ? 443 : 80);
        return ($secure ? 'https://' : 'http://') . ($this->_config['host'] ?: $this->_config['ip']) . ":$port";
    }

    private function accounts(string $rest): string
    {
        $brand = trim((string) $this->_config['accesshash']);
        if (!ctype_digit($brand)) {
            throw new Server_Exception("Enter the number of your brand in the server's field Brand.");
        }
        return "/brands/$brand/accounts$rest";
    }

    /** Every call may be repeated, so a call without a response is. */
    private function call(string $method, string $path, ?array $body = null, array $allowed = []): array
    {
        $id = bin2hex(random_bytes(16));
        for ($attempt = 1; ; $attempt++) {
            [$status, $wait, $data, $error] = $this->attempt($method, $path, $body, $id);
            $temporary = in_array($status, self::TEMPORARY, true);
            if (!$temporary || $attempt === self::ATTEMPTS || $wait > self::LONGEST_WAIT) {
                break;
            }
            usleep(($wait ?: $attempt) * 1000000 + random_int(0, 250000));
        }
        $this->log("$method $path: $error, request $id", ['sent' => $body, 'received' => $data]);
        if (($status === 0 || $status >= 400) && !in_array($status, $allowed, true)) {
            $text = self::message($data) ?: "The website service did not respond ($error). Run it again.";
            throw new Server_Exception(':text (request :id)', [':text' => $text, ':id' => $id], $status);
        }
        return $data;
    }

    private function attempt(string $method, string $path, ?array $body, string $id): array
    {
        $wait = 0;
        $curl = curl_init($this->url() . $path);
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_USERPWD => "{$this->_config['username']}:{$this->_config['password']}",
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', "X-Request-Id: $id", "Idempotency-Key: $id"],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => (int) ($this->_config['config']['timeout'] ?? 30),
            CURLOPT_HEADERFUNCTION => function ($_curl, string $line) use (&$wait): int {
                $wait = stripos($line, 'retry-after:') === 0 ? (int) substr($line, 12) : $wait;
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE)]));
        $text = curl_exec($curl);
        $status = $text === false ? 0 : curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        return [$status, $wait, (array) json_decode((string) $text, true), curl_error($curl) ?: "status $status"];
    }

    /** What staff read: what is wrong, which field, what to do. */
    private static function message(array $problem): string
    {
        $text = (string) ($problem['detail'] ?? '');
        foreach (count($problem['errors'] ?? []) > 1 ? $problem['errors'] : [] as $field => $codes) {
            $text .= " $field: " . implode(', ', $codes) . '.';
        }
        return $text;
    }

    private function log(string $line, array $data): void
    {
        array_walk_recursive($data, function (mixed &$value, int|string $name): void {
            $value = in_array($name, self::SECRET_FIELDS, true) ? '********' : $value;
        });
        $this->getLog()?->info('Sitewright: %s %s', $line, json_encode($data, JSON_UNESCAPED_SLASHES));
    }
}
