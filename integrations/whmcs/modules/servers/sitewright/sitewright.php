<?php

// Provisioning module of Sitewright. It describes accounts as they shall be: any function may be run again.

declare(strict_types=1);

defined('WHMCS') || exit('This file cannot be accessed directly');

require_once __DIR__ . '/lib/Api.php';

use WHMCS\Database\Capsule;
use WHMCS\Module\Server\Sitewright\{Api, MetricsProvider};
use WHMCS\Service\Status;

function sitewright_MetaData()
{
    return [
        'DisplayName' => 'Sitewright', 'APIVersion' => '1.1',
        'RequiresServer' => true, 'DefaultNonSSLPort' => '8080', 'DefaultSSLPort' => '443',
        'ServiceSingleSignOnLabel' => 'Edit website',
        'AdminSingleSignOnLabel' => 'Open the console',
        'ListAccountsUniqueIdentifierDisplayName' => 'Username', 'ListAccountsUniqueIdentifierField' => 'username',
        'ListAccountsProductField' => 'configoption1',
    ];
}

function sitewright_ConfigOptions()
{
    $text = ['Type' => 'text', 'Size' => '25', 'SimpleMode' => true];
    $periods = ['' => "The package's shortest", 'cycle' => "The product's billing cycle", '1' => '1 month',
        '3' => '3 months', '6' => '6 months', '12' => '12 months', '24' => '24 months', '36' => '36 months'];
    return [
        'Package' => ['Loader' => 'sitewright_PackageLoader', 'Description' => 'At the website service'] + $text,
        'Billing period' => ['Type' => 'dropdown', 'Options' => $periods, 'Default' => ''] + $text,
        'Template' => ['Loader' => 'sitewright_TemplateLoader', 'Description' => 'Of new websites'] + $text,
        'Language' => ['Default' => 'en', 'Description' => "One of the brand's languages"] + $text,
        'Create a website' => ['Type' => 'yesno', 'Description' => 'For the domain of the order'] + $text,
    ];
}

function sitewright_PackageLoader(array $params)
{
    $api = new Api($params);
    $packages = $api->items($api->brand('/packages?active=1&productType=subscription'), 'packages');
    return array_column(iterator_to_array($packages, false), 'name', 'ref');
}

function sitewright_TemplateLoader(array $params)
{
    $templates = (new Api($params))->items('/v2/templates', 'templates');
    return ['' => "The brand's default"] + array_column(iterator_to_array($templates, false), 'name', 'ref');
}

function sitewright_TestConnection(array $params)
{
    $read = fn (Api $api) => $api->call('GET', $api->brand('/accounts?limit=1'));
    [, $error] = sitewright_run($params, $read);
    return ['success' => !$error, 'error' => (string) $error?->getMessage()];
}

function sitewright_CreateAccount(array $params)
{
    $client = $params['clientsdetails'];
    $username = (string) ($params['username'] ?? '') ?: 'service-' . (int) $params['serviceid'];
    $description = [
        'accountHolder' => [
            'firstName' => $client['firstname'] ?: $username, 'lastName' => $client['lastname'] ?: $username,
            'username' => $username, 'password' => $params['password'],
            'email' => $client['email'], 'languageCode' => $params['configoption4'] ?: 'en',
        ] + sitewright_contact($client),
        'package' => sitewright_package($params),
        'suspended' => false,
    ];
    if (!empty($params['configoption5']) && !empty($params['domain'])) {
        $template = (int) ($params['configoption3'] ?? 0);
        $site = ['domain' => $params['domain'], 'businessName' => ($client['companyname'] ?? '') ?: $params['domain']];
        $description['sites'] = [$site + ($template ? ['templateRef' => $template] : [])];
    }
    $result = sitewright_describe($params, $description);
    if ($result === 'success' && ($params['username'] ?? '') === '') {
        $params['model']->serviceProperties->save(['Username' => $username]);
    }
    return $result;
}

function sitewright_SuspendAccount(array $params)
{
    return sitewright_describe($params, ['suspended' => true]);
}

function sitewright_UnsuspendAccount(array $params)
{
    return sitewright_describe($params, ['suspended' => false]);
}

function sitewright_TerminateAccount(array $params)
{
    [, $error] = sitewright_run($params, fn (Api $api) => $api->call('DELETE', $api->account()));
    return !$error || $error->getCode() === 404 ? 'success' : $error->getMessage();
}

function sitewright_ChangePackage(array $params)
{
    return sitewright_describe($params, ['package' => sitewright_package($params)]);
}

/** The website service renews packages itself; this assigns the package again if the account has lost it. */
function sitewright_Renew(array $params)
{
    return sitewright_ChangePackage($params);
}

function sitewright_ChangePassword(array $params)
{
    return sitewright_describe($params, ['accountHolder' => ['password' => $params['password']]]);
}

function sitewright_ServiceSingleSignOn(array $params)
{
    [$url, $error] = sitewright_run($params, function (Api $api): string {
        $account = $api->call('GET', $api->account())['account'];
        $site = array_filter(['siteRef' => $account['siteRefs'][0] ?? null]);
        return $api->call('POST', "/users/{$account['userRef']}/auto-login", $site)['flowUrl'];
    });
    return ['success' => !$error] + ($error ? ['errorMsg' => $error->getMessage()] : ['redirectTo' => $url]);
}

/** The console asks operators for their own password. */
function sitewright_AdminSingleSignOn(array $params)
{
    return ['success' => true, 'redirectTo' => (new Api($params))->url . '/console'];
}

function sitewright_UsageUpdate(array $params)
{
    foreach ((new Api($params))->accounts() as [$account, $user]) {
        if (preg_match('/^whmcs-(\d+)$/', $account['externalId'], $found)) {
            Capsule::table('tblhosting')->where('id', (int) $found[1])->where('server', $params['serverid'])->update([
                'diskusage' => Api::megabytes($user['storageBytesUsed']),
                'disklimit' => Api::megabytes($user['capabilities']['storageLimit'] ?? 0),
                'lastupdate' => date('Y-m-d H:i:s'),
            ]);
        }
    }
}

function sitewright_MetricProvider(array $params)
{
    return new MetricsProvider($params);
}

function sitewright_ListAccounts(array $params)
{
    [$accounts, $error] = sitewright_run($params, function (Api $api) use ($params): array {
        $sites = $api->items('/sites?limit=1000&brandRef=' . (int) $params['serveraccesshash'], 'sites');
        $domains = array_column(iterator_to_array($sites, false), 'domains', 'ref');
        $accounts = [];
        foreach ($api->accounts() as [$account, $user]) {
            $accounts[] = [
                'email' => $user['email'], 'username' => $user['username'], 'uniqueIdentifier' => $user['username'],
                'domain' => array_values($domains[$account['siteRefs'][0] ?? 0] ?? [])[0] ?? '',
                'product' => (string) ($account['package']['packageRef'] ?? ''), 'primaryip' => '',
                'created' => substr($user['created']['date'], 0, 19),
                'status' => $account['suspended'] ? Status::SUSPENDED : Status::ACTIVE,
            ];
        }
        return $accounts;
    });
    return ['success' => !$error] + ($error ? ['error' => $error->getMessage()] : ['accounts' => $accounts]);
}

function sitewright_ClientArea(array $params)
{
    $site = fn (Api $api) => fn (int $ref) => $api->call('GET', "/sites/$ref")['site'];
    $read = fn (Api $api) => array_map($site($api), $api->call('GET', $api->account())['account']['siteRefs']);
    [$sites, $error] = sitewright_run($params, $read);
    $signOn = "clientarea.php?action=productdetails&id={$params['serviceid']}&dosinglesignon=1";
    $shown = ['sites' => $sites ?? [], 'unavailable' => (bool) $error, 'signOn' => $signOn];
    return ['templatefile' => 'templates/clientarea', 'vars' => $shown];
}

/** @return array what the function returns, or null; and the error, or null */
function sitewright_run(array $params, callable $calls): array
{
    try {
        return [$calls(new Api($params)), null];
    } catch (Throwable $error) {
        return [null, $error];
    }
}

/** @return string "success", or what is wrong */
function sitewright_describe(array $params, array $description): string
{
    [, $error] = sitewright_run($params, fn (Api $api) => $api->call('PUT', $api->account(), $description));
    return $error ? $error->getMessage() : 'success';
}

function sitewright_package(array $params): array
{
    $cycles = ['Monthly' => 1, 'Quarterly' => 3, 'Semi-Annually' => 6, 'Annually' => 12, 'Biennially' => 24, 'Triennially' => 36];
    $period = $params['configoption2'] ?? '';
    $months = $period === 'cycle' ? ($cycles[$params['model']->billingcycle ?? ''] ?? 0) : (int) $period;
    return ['packageRef' => (int) $params['configoption1']] + ($months ? ['billingFrequency' => $months] : []);
}

function sitewright_contact(array $client): array
{
    $names = ['phoneNumber' => 'phonenumber', 'address1' => 'address1', 'address2' => 'address2', 'city' => 'city',
        'state' => 'state', 'postcode' => 'postcode', 'country' => 'country', 'company' => 'companyname'];
    $values = array_map(fn (string $name) => (string) ($client[$name] ?? ''), $names);
    return array_filter($values, fn (string $value) => $value !== '');
}
