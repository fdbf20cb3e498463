import type { ReferenceClients } from '../../lib/serve/reference/clients.ts'

const pair = (apiKey: string, secretKey: string) => ({ apiKey, secretKey })

/**
 * Credentials that are recognised anywhere. Together they contain every character that must be escaped in
 * JSON, HTML, URLs, shells and regular expressions. No two of them share eight characters.
 */
export const canaries: ReferenceClients = {
  permitted: pair('Kp7+Wn/3Qd==x9Zt&Lr<Vb4>Mc', 'sQ2"hY8%Tg,5Jf;Re&Uw+Px/Nk=Bz1\\Dv6'),
  second: pair('ck_9mXr4Tq7Vw2Zs6Bn1LdPh3Gy8Jf5Kc0', "c2'Ga$HOME`id`4yU!7rEw(9oIp)3aSd|6fG#1hJk"),
  noCustomer: pair('QWxhZGRpbjpvcGVuU2VzYW1lVGhlMm5k', '7f3a9c51e0b84d26a1f95c3780d2be64'),
  inactive: pair('d4e8%41%42&lt;c7&#65;9a\\u0041b2%25f6', '01234-56789-97531-86420-24680-13579'),
  unauthorized: pair('zR5 tY8 uI2 oP9 aS4 dF7 gH1 jK6', '{"k":"mN3bV6cX9zL2","s":[1,2,3],"t":"Qq"}'),
  exhausted: pair('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5In0.Xw4Rt7Yp', '<b>jH5</b>gF8<i>dS2</i>aP6<u>oI9</u>'),
  disposable: pair('L0ngAnd.Dotted.9Gt6.Kj3w.Bv8q.Zm5x', '^[a-z]+$.*?(hT4|kW7)\\d{2,9}\\s|yB6vN1'),
}

/** Every canary as a flat list. */
export const everyCanary = Object.values(canaries).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
