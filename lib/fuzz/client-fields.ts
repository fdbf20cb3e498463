interface ClientFields {
  readonly name: string
  readonly lines: readonly string[]
}

/**
 * Fields that common clients send, all accepted by the OWASP Core Rule Set. Excludes `user-agent`, `accept`, `origin`, `cookie`, and
 * codings that some Node versions cannot decode.
 */
export const fieldsOfClients: readonly ClientFields[] = [
  {
    name: 'the fields of a browser',
    lines: [
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
  },
  {
    name: 'the fields of a JavaScript client',
    lines: [
      'accept-encoding: gzip, deflate, br',
      'content-type: application/json',
      'x-requested-with: XMLHttpRequest',
      'x-correlation-id: 7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
      'baggage: release=1.0',
    ],
  },
  {
    name: 'the fields of a Java client',
    lines: [
      'accept-encoding: gzip, x-gzip, deflate',
      'cache-control: no-cache',
      'content-type: application/json;charset=UTF-8',
    ],
  },
  {
    name: 'the fields of a Go client behind Zipkin',
    lines: [
      'accept-encoding: gzip',
      'x-b3-traceid: 463ac35c9f6413ad48485a3953bb6124',
      'x-b3-spanid: a2fb4a1d1a96d312',
      'x-b3-sampled: 0',
    ],
  },
  {
    name: 'the fields of a Python client',
    lines: ['accept-encoding: gzip, deflate', 'cache-control: no-store'],
  },
  {
    name: 'the fields of an app',
    lines: [
      'accept-encoding: gzip',
      'accept-language: en-GB',
      'x-requested-with: com.example.cards',
      'x-app-version: 4.12.0',
      'x-platform: android',
    ],
  },
  {
    name: 'the fields of a browser that opens a page',
    lines: [
      'accept-encoding: gzip, deflate, br',
      'accept-language: ar,ja;q=0.5',
      'cache-control: max-age=0',
      'dnt: 1',
      'sec-fetch-dest: document',
      'sec-fetch-mode: navigate',
      'sec-fetch-site: none',
      'sec-gpc: 1',
    ],
  },
]
