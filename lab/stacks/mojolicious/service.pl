#!/usr/bin/env perl
# The service on Mojolicious and its own server.
use Mojolicious::Lite -signatures;
use Mojo::File qw(path);
use Mojo::JSON qw(decode_json false true);
use Mojo::Util qw(secure_compare);

my $FAULT = $ENV{FAULT} // '';

my $roles   = decode_json(path($ENV{CLIENTS})->slurp);
my %clients = map { $roles->{$_}{apiKey} => {role => $_, secret => $roles->{$_}{secretKey}} } keys %$roles;

# By code, its status and message.
my $errors = decode_json(path('../errors.json')->slurp);

my @customizations = (
  {id => 71, name => 'Camel',   created_at => '2020-02-02T20:20:20Z', options => {humps => 1, nested => {deep => true}}},
  {id => 72, name => 'Llama',   created_at => '2020-03-03T20:20:20Z', options => {humps => 0, nested => {deep => false}}},
  {id => 73, name => 'Alpaca',  created_at => '2020-04-04T20:20:20Z', options => {}},
  {id => 74, name => 'Vicuña',  created_at => undef,                  options => {humps => 0}},
);

# Nothing but the API: no favicon and no other files of the framework.
app->static->paths([]);
app->static->classes([]);
app->static->extra({}) if app->static->can('extra');

helper refuse => sub ($c, $code) {
  my ($status, $message) = @{$errors->{$code}};
  $c->render(status => $status, json => {error_code => "$code", error_message => $message});
  return undef;
};

under sub ($c) {
  my $headers = $c->req->headers;
  my ($api_key, $secret_key, $version) = map { $headers->header($_) } qw(x-api-key x-secret-key x-version);
  return $c->refuse(1001) unless defined $api_key;
  return $c->refuse(1002) unless defined $secret_key;
  return $c->refuse(1003) unless defined $version;

  my $client = $clients{$api_key} or return $c->refuse(1006);
  no warnings 'numeric';
  my $same = $FAULT eq 'numeric-comparison' ? $secret_key == $client->{secret} : secure_compare($secret_key, $client->{secret});
  return $c->refuse(1007) unless $same;
  return $c->refuse(1012) if $client->{role} eq 'noCustomer';
  return $c->refuse(1020) if $client->{role} eq 'exhausted';

  $c->stash(role => $client->{role}, version => $version);
  return 1;
};

my $list = get '/api/customizations/list' => ($FAULT eq 'format-suffix' ? [format => ['json']] : ()) =>
  {format => undef} => sub ($c) {
  return $c->refuse(1010) if $c->stash('version') ne '1' || $c->req->url->path->trailing_slash;
  return $c->refuse(1011) if $c->stash('role') eq 'inactive';
  return $c->refuse(1013) if $c->stash('role') eq 'unauthorized';

  my $limit = $c->req->query_params->param('limit') // scalar @customizations;
  no warnings 'numeric';
  my $valid = $FAULT eq 'number-of-string' || $limit =~ /\A[0-9]+\z/;
  return $c->refuse(1030) unless $valid && $limit >= 1 && $limit <= 100;
  $limit = @customizations if $limit > @customizations;
  $c->render(json => {customizations => [@customizations[0 .. $limit - 1]]});
};

any '/*whatever' => {whatever => ''} => sub ($c) { $c->refuse(1010) };

hook before_render => sub ($c, $args) {
  return unless my $template = $args->{template};
  return $c->refuse(1010) if $template eq 'not_found';
  return unless $template eq 'exception';
  $args->{json} = {error_code => '500', error_message => 'internal server error'};
};

app->start;
