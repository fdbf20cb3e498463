/**
 * Fields that common clients send, all accepted by the OWASP Core Rule Set. Excludes `user-agent`, `accept`, `origin`, `cookie`, and
 * codings that some Node versions cannot decode.
 */
export const fieldsOfClients = {
  'the fields of a browser': [
    'accept-encoding: gzip, deflate, br',
    'accept-language: en-US,en;q=0.9,de;q=0.8',
    'cache-control: no-cache',
    'pragma: no-cache',
    'priority: u=1, i',
    'sec-ch-ua: "Chromium";v="142", "Not_A Brand";v="99"',
    'sec-ch-ua-mobile: ?0',
    'sec-ch-ua-platform: "Windows"',
    'sec-fetch-dest: empty',
    'sec-fetch-mode: cors',
    'sec-fetch-site: same-origin',
  ],
  'the fields of a JavaScript client': [
    'accept-encoding: gzip, deflate, br',
    'content-type: application/json',
    'x-requested-with: XMLHttpRequest',
    'x-correlation-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
    'baggage: release=1.0',
  ],
  'the fields of a Java client': [
    'accept-encoding: gzip, x-gzip, deflate',
    'cache-control: no-cache',
    'content-type: application/json;charset=UTF-8',
  ],
  'the fields of a Go client behind Zipkin': [
    'accept-encoding: gzip',
    'x-b3-traceid: 463ac35c9f6413ad48485a3953bb6124',
    'x-b3-spanid: a2fb4a1d1a96d312',
    'x-b3-sampled: 0',
  ],
  'the fields of a Python client': ['accept-encoding: gzip, deflate', 'cache-control: no-store'],
  'the fields of an app': [
    'accept-encoding: gzip',
    'accept-language: en-GB',
    'x-requested-with: com.example.cards',
    'x-app-version: 4.12.0',
    'x-platform: android',
  ],
  'the fields of a browser that opens a page': [
    'accept-encoding: gzip, deflate, br',
    'accept-language: ar,ja;q=0.5',
    'cache-control: max-age=0',
    'dnt: 1',
    'sec-fetch-dest: document',
    'sec-fetch-mode: navigate',
    'sec-fetch-site: none',
    'sec-gpc: 1',
  ],
}
