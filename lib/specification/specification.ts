/** The specification against which this suite judges. Its text states no version or date, so only the hash distinguishes editions. */
export const specification = {
  title: 'Card-switching and customization service: interface specification',
  version: null,
  sha256: 'a7aa3116c455f8bae71f5d54f6ab3eae0e13338ebbcc310e3cf99c8c37434416',
}

/** Parts that no verdict covers, because they are not shown or because no request can test them. */
export const notCovered: readonly string[] = [
  'card switches: not shown in the specification',
  'webhook configuration, and the events, payloads, signing and retries of webhooks: not shown',
  'customization operations other than the list: not shown',
  'the fields of resources: not shown',
  'states and transitions: not shown',
  'the parameters and the response body of the list endpoint: not shown',
  'the size of the daily quota and the time at which it resets: not shown',
  'rates per second or per minute: not shown',
  'that credentials are issued by the provider on request: no request can test it',
  'that the provider contacts clients before a breaking change: no request can test it',
]
