# Ruby's oauth: a signed form, JSON with oauth_body_hash, a filter and a deletion. Reads its settings, prints its steps.
require 'json'
require 'oauth'

settings = JSON.parse($stdin.read)
consumer = OAuth::Consumer.new(
  settings['consumerKey'], settings['consumerSecret'],
  site: settings['url'], signature_method: settings['method']
)
token = OAuth::AccessToken.new(consumer, settings['accessToken'], settings['accessSecret'])

def step(name, response)
  body = response.body.to_s.empty? ? nil : JSON.parse(response.body)
  puts JSON.generate([name, response.code.to_i, body])
  body
end

fields = settings['fields'].transform_values(&:to_s)
created = step('create', token.post('/users', fields))
path = "/users/#{created['accountHolder']['ref']}"
step('edit', token.put(path, JSON.generate(settings['changes']), 'Content-Type' => 'application/json'))
step('list', token.get("/users?#{URI.encode_www_form(username: fields['username'], limit: 5)}"))
step('delete', token.delete(path))
