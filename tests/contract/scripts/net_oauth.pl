# Net::OAuth: a form with the parameters in its body, JSON with them in the header, a filter with them in the query.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Net::OAuth;

$Net::OAuth::PROTOCOL_VERSION = Net::OAuth::PROTOCOL_VERSION_1_0A();
my $json = JSON::PP->new->utf8;
my $settings = $json->decode(do { local $/; <STDIN> });
my $http = HTTP::Tiny->new;

sub signed {
    my ($method, $path, $fields) = @_;
    my $request = Net::OAuth->request('protected resource')->new(
        consumer_key => $settings->{consumerKey}, consumer_secret => $settings->{consumerSecret},
        token => $settings->{accessToken}, token_secret => $settings->{accessSecret},
        request_url => $settings->{url} . $path, request_method => $method,
        signature_method => $settings->{method}, timestamp => time, nonce => int(rand(2**32)) . $$ . time,
        extra_params => $fields || {},
    );
    $request->sign;
    return $request;
}

sub step {
    my ($name, $response) = @_;
    my $body = $response->{content} ? $json->decode($response->{content}) : undef;
    print $json->encode([$name, $response->{status} + 0, $body]), "\n";
    return $body;
}

my $form = signed('POST', '/users', $settings->{fields});
my $created = step('create', $http->post($settings->{url} . '/users', {
    headers => { 'Content-Type' => 'application/x-www-form-urlencoded' }, content => $form->to_post_body,
}));
my $path = "/users/$created->{accountHolder}{ref}";
step('edit', $http->put($settings->{url} . $path, {
    headers => { 'Content-Type' => 'application/json', Authorization => signed('PUT', $path)->to_authorization_header },
    content => $json->encode($settings->{changes}),
}));
my $filter = { username => $settings->{fields}{username}, limit => 5 };
step('list', $http->get(signed('GET', '/users', $filter)->to_url));
step('delete', $http->delete($settings->{url} . $path, {
    headers => { Authorization => signed('DELETE', $path)->to_authorization_header },
}));
