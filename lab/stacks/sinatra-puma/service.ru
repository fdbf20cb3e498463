# frozen_string_literal: true

# The service on Sinatra, for Puma.
require 'json'
require 'sinatra/base'

FAULT = ENV.fetch('FAULT', '')

CLIENTS = JSON.parse(File.read(ENV.fetch('CLIENTS'))).to_h do |role, client|
  [client['apiKey'], { role: role, secret: client['secretKey'] }]
end

# By code, its status and message.
ERRORS = JSON.parse(File.read(File.join(__dir__, '../errors.json'))).freeze

CUSTOMIZATIONS = [
  { id: 'k-01', title: 'Onboarding', created_at: '2021-10-01 08:00:00 UTC', steps: [{ order: 1, text: 'Hello' }, { order: 2, text: 'Pick a card' }] },
  { id: 'k-02', title: 'Reminder', created_at: '2021-10-02 08:00:00 UTC', steps: [{ order: 1, text: "Don't forget" }] },
  { id: 'k-03', title: 'Farewell', created_at: '2021-10-03 08:00:00 UTC', steps: [] }
].freeze

class Service < Sinatra::Base
  set :environment, :production
  set :protection, false
  set :static, false
  set :show_exceptions, false
  set :raise_errors, false
  set :dump_errors, true

  helpers do
    def refuse(code)
      status, message = ERRORS.fetch(code)
      content_type :json
      halt status, JSON.generate(error_code: code, error_message: message)
    end
  end

  def authenticate
    api_key = request.get_header('HTTP_X_API_KEY')
    secret_key = request.get_header('HTTP_X_SECRET_KEY')
    refuse '1001' if api_key.nil?
    refuse '1002' if secret_key.nil?
    refuse '1003' unless request.has_header?('HTTP_X_VERSION')

    client = CLIENTS[api_key]
    refuse '1006' if client.nil? && FAULT != 'nil-client'
    refuse '1007' unless Rack::Utils.secure_compare(client[:secret], secret_key)
    refuse '1012' if client[:role] == 'noCustomer'
    refuse '1020' if client[:role] == 'exhausted'
    @role = client[:role]
  end

  before { authenticate }

  get '/api/customizations/list' do
    refuse '1010' unless request.get_header('HTTP_X_VERSION') == '1'
    refuse '1011' if @role == 'inactive'
    refuse '1013' if @role == 'unauthorized'

    items = CUSTOMIZATIONS
    if params.key?('limit')
      limit = params['limit']
      valid =
        case FAULT
        when 'to-i-limit' then true
        when 'line-anchors' then limit.is_a?(String) && limit.match?(/^\d+$/)
        else limit.is_a?(String) && limit.valid_encoding? && limit.match?(/\A\d+\z/)
        end
      refuse '1030' unless valid && limit.to_i.between?(1, 100)
      items = items.first(limit.to_i)
    end
    content_type :json
    JSON.generate(customizations: items, page: { size: items.size, total: CUSTOMIZATIONS.size })
  end

  not_found { refuse '1010' }

  # Parameters that cannot be decoded: Sinatra finds that before any filter.
  error Sinatra::BadRequest do
    authenticate
    refuse request.get? && request.path_info == '/api/customizations/list' ? '1030' : '1010'
  end

  error do
    content_type :json
    JSON.generate(error_code: '500', error_message: 'internal server error')
  end
end

run Service
