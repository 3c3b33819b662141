<?php

// Stands for the panel: the interfaces that it publishes for provisioning modules. Reads calls as JSON from standard input,
// makes each in turn, and prints the results, the module log as the panel would store it, and the changed rows.

declare(strict_types=1);

namespace WHMCS\Service {
    final class Status
    {
        public const ACTIVE = 'Active';
        public const SUSPENDED = 'Suspended';
    }
}

namespace WHMCS\Database {
    final class Capsule
    {
        public static array $updates = [];
        private array $where = [];

        private function __construct(private string $table)
        {
        }

        public static function table(string $name): self
        {
            return new self($name);
        }

        public function where(string $column, mixed $value): self
        {
            $this->where[$column] = $value;
            return $this;
        }

        public function update(array $values): int
        {
            self::$updates[] = ['table' => $this->table, 'where' => $this->where, 'values' => $values];
            return 1;
        }
    }
}

namespace WHMCS\UsageBilling\Contracts\Metrics {
    interface MetricInterface
    {
        public const TYPE_SNAPSHOT = 'snapshot';
    }

    interface ProviderInterface
    {
        public function metrics();

        public function usage();

        public function tenantUsage($tenant);
    }
}

namespace WHMCS\UsageBilling\Metrics {
    final class Usage
    {
        public function __construct(public mixed $value)
        {
        }
    }

    final class Metric implements \WHMCS\UsageBilling\Contracts\Metrics\MetricInterface
    {
        public ?Usage $usage = null;

        public function __construct(public string $name, public string $label, public string $type, public object $unit)
        {
        }

        public function systemName(): string
        {
            return $this->name;
        }

        public function withUsage(Usage $usage): self
        {
            $copy = clone $this;
            $copy->usage = $usage;
            return $copy;
        }
    }
}

namespace WHMCS\UsageBilling\Metrics\Units {
    class WholeNumber
    {
        public function __construct(public string $name = '')
        {
        }
    }

    final class MegaBytes extends WholeNumber
    {
    }
}

namespace {
    define('WHMCS', true);
    error_reporting(E_ALL);
    set_error_handler(fn ($level, $text, $file, $line) => throw new ErrorException($text, 0, $level, $file, $line));

    $log = [];

    function logModuleCall($module, $action, $request, $response, $processed, $secrets): void
    {
        global $log;
        $text = json_encode([$action, $request, $response, $processed], JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
        $log[] = str_replace($secrets, '*****', $text);
    }

    final class ServiceModel
    {
        public array $saved = [];
        public ?string $billingcycle = null;
        public self $serviceProperties;

        public function __construct()
        {
            $this->serviceProperties = $this;
        }

        public function save(array $values): void
        {
            $this->saved += $values;
        }
    }

    $input = json_decode(file_get_contents('php://stdin'), true, 512, JSON_THROW_ON_ERROR);
    if (isset($input['timeout'])) {
        define('SITEWRIGHT_TIMEOUT', $input['timeout']);
    }
    spl_autoload_register(function (string $class) use ($input): void {
        $name = str_replace('WHMCS\\Module\\Server\\Sitewright\\', '', $class, $count);
        if ($count) {
            require_once "{$input['module']}/lib/$name.php";
        }
    });
    require "{$input['module']}/sitewright.php";

    $results = [];
    foreach ($input['calls'] as [$function, $params]) {
        $model = new ServiceModel();
        $model->billingcycle = $params['billingcycle'] ?? null;
        try {
            if ($function === 'usage' || $function === 'tenantUsage') {
                $result = sitewright_MetricProvider($params)->$function(...array_filter([$params['tenant'] ?? null]));
            } elseif (in_array($function, ['MetaData', 'ConfigOptions'], true)) {
                $result = ("sitewright_$function")();
            } else {
                $result = ("sitewright_$function")($params + ['model' => $model]);
            }
        } catch (Exception $error) {
            $result = ['exception' => $error->getMessage()];
        }
        $results[] = ['result' => $result, 'saved' => $model->saved];
    }
    $updates = WHMCS\Database\Capsule::$updates;
    echo json_encode(['results' => $results, 'log' => $log, 'updates' => $updates], JSON_THROW_ON_ERROR);
}
