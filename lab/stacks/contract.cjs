'use strict'
// The common part of the services on Node: clients, errors, credential checks, and the requests that Node's
// parser refuses.
const { readFileSync } = require('node:fs')
const { createHash, timingSafeEqual } = require('node:crypto')

const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
const digest = (text) => createHash('sha256').update(text).digest()

const FAULT = process.env.FAULT || ''
// Status and message, by code.
const errors = read(`${__dirname}/errors.json`)
// By key.
const clients = new Map(
  Object.entries(read(process.env.CLIENTS)).map(([role, client]) => [client.apiKey, { ...client, role }]),
)

const errorOf = (code) => ({ error_code: String(code), error_message: errors[code][1] })

// The code of a flaw in the credentials, or undefined.
function refusalOf(apiKey, secretKey, version, client = clients.get(apiKey)) {
  if (apiKey === undefined) return 1001
  if (secretKey === undefined) return 1002
  if (version === undefined) return 1003
  if (!client) return 1006
  if (!timingSafeEqual(digest(secretKey), digest(client.secretKey))) return 1007
  return { noCustomer: 1012, exhausted: 1020 }[client.role]
}

// The code for clients that may not use an existing endpoint.
const notPermitted = (role) => ({ inactive: 1011, unauthorized: 1013 })[role]

// A request that Node's parser refuses never reaches the handler.
function refuseUnparsed(error, socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const body = JSON.stringify(errorOf(error.code === 'HPE_INVALID_METHOD' ? 1010 : 1030))
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}

module.exports = { FAULT, errors, clients, errorOf, refusalOf, notPermitted, refuseUnparsed }
