<?php

declare(strict_types=1);

namespace WHMCS\Module\Server\Sitewright;

use WHMCS\UsageBilling\Contracts\Metrics\{MetricInterface, ProviderInterface};
use WHMCS\UsageBilling\Metrics\{Metric, Usage};
use WHMCS\UsageBilling\Metrics\Units\{MegaBytes, WholeNumber};

/** Sites and storage of every account, by user name. */
final class MetricsProvider implements ProviderInterface
{
    public function __construct(private array $params) {}

    public function metrics()
    {
        return [
            new Metric('sites', 'Websites', MetricInterface::TYPE_SNAPSHOT, new WholeNumber('Websites')),
            new Metric('storage', 'Storage', MetricInterface::TYPE_SNAPSHOT, new MegaBytes()),
        ];
    }

    public function usage()
    {
        $usage = [];
        foreach ((new Api($this->params))->accounts() as [$account, $user]) {
            $usage[$user['username']] = $this->measured($account, $user);
        }
        return $usage;
    }

    public function tenantUsage($tenant)
    {
        $api = new Api($this->params);
        $users = $api->call('GET', '/users?username=' . rawurlencode((string) $tenant))['accountHolders'];
        $user = $users[0] ?? ['ref' => 0];
        $after = $user['ref'] > 1 ? '&after=' . ($user['ref'] - 1) : '';
        $account = $api->call('GET', $api->brand("/accounts?limit=1$after"))['accounts'][0] ?? null;
        return $account && $account['userRef'] === $user['ref'] ? $this->measured($account, $user) : $this->metrics();
    }

    private function measured(array $account, array $user): array
    {
        $values = ['sites' => count($account['siteRefs']), 'storage' => Api::megabytes($user['storageBytesUsed'])];
        $with = fn (Metric $metric) => $metric->withUsage(new Usage($values[$metric->systemName()]));
        return array_map($with, $this->metrics());
    }
}
