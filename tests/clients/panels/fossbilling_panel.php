<?php

// Stands for the panel: the classes that it passes to a server manager, with their published methods. Reads calls as JSON
// from standard input, makes each in turn, and prints the results and what was logged.

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn ($level, $text, $file, $line) => throw new ErrorException($text, 0, $level, $file, $line));

class Server_Exception extends Exception
{
    public function __construct(string $message, ?array $variables = null, int $code = 0)
    {
        parent::__construct(strtr($message, $variables ?? []), $code);
    }
}

class Box_Log
{
    public static array $lines = [];

    public function info(string $format, mixed ...$values): void
    {
        self::$lines[] = $values ? vsprintf($format, $values) : $format;
    }
}

/** Getters and setters of fields, as those of the panel's data classes. */
abstract class Fields
{
    public function __construct(protected array $fields = [])
    {
    }

    public function __call(string $name, array $arguments): mixed
    {
        $field = lcfirst(substr($name, 3));
        if (str_starts_with($name, 'set')) {
            $this->fields[$field] = $arguments[0];
            return $this;
        }
        return $this->fields[$field] ?? null;
    }
}

final class Server_Client extends Fields
{
}

final class Server_Package extends Fields
{
    public function getCustomValue(string $name): ?string
    {
        return isset($this->fields[$name]) ? (string) $this->fields[$name] : null;
    }
}

final class Server_Account extends Fields
{
    public function shown(): array
    {
        return ['username' => $this->fields['username'], 'suspended' => $this->fields['suspended'] ?? null];
    }
}

abstract class Server_Manager
{
    protected array $_config = ['ip' => null, 'host' => null, 'secure' => false, 'username' => null, 'password' => null,
        'accesshash' => null, 'config' => null, 'port' => null, 'passwordLength' => null];

    public function __construct(array $options)
    {
        $this->_config = array_merge($this->_config, $options);
    }

    public function getLog(): ?Box_Log
    {
        return new Box_Log();
    }

    abstract public function getLoginUrl(?Server_Account $account);

    abstract public function getResellerLoginUrl(?Server_Account $account);

    abstract public function testConnection();

    abstract public function createAccount(Server_Account $account);

    abstract public function synchronizeAccount(Server_Account $account);

    abstract public function suspendAccount(Server_Account $account);

    abstract public function unsuspendAccount(Server_Account $account);

    abstract public function cancelAccount(Server_Account $account);

    abstract public function changeAccountPassword(Server_Account $account, string $newPassword);

    abstract public function changeAccountUsername(Server_Account $account, string $newUsername);

    abstract public function changeAccountDomain(Server_Account $account, string $newDomain);

    abstract public function changeAccountIp(Server_Account $account, string $newIp);

    abstract public function changeAccountPackage(Server_Account $account, Server_Package $package);
}

$input = json_decode(file_get_contents('php://stdin'), true, 512, JSON_THROW_ON_ERROR);
require $input['module'];

$results = [];
foreach ($input['calls'] as [$method, $account, $argument]) {
    $package = new Server_Package($account['package'] ?? []);
    $passed = $account === null ? null : new Server_Account(
        ['client' => new Server_Client($account['client']), 'package' => $package] + $account
    );
    $arguments = [$passed];
    if ($argument !== null) {
        $arguments[] = is_array($argument) ? new Server_Package($argument) : $argument;
    }
    try {
        $manager = new Server_Manager_Sitewright($input['server']);
        $result = match ($method) {
            'testConnection' => $manager->testConnection(),
            'generateUsername' => $manager->generateUsername($argument),
            'getForm' => Server_Manager_Sitewright::getForm(),
            default => $manager->$method(...$arguments),
        };
        $results[] = $result instanceof Server_Account ? $result->shown() : $result;
    } catch (Server_Exception $error) {
        $results[] = ['exception' => $error->getMessage()];
    }
}
echo json_encode(['results' => $results, 'log' => Box_Log::$lines], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
