/**
 * The process that `takeover` kills: it leads a node whose log is in PostgreSQL, and says so.
 *
 * Arguments: the folder of its views, the address of the log, the lease in milliseconds.
 */
import { argv, stdout } from 'node:process'
import { standBy } from 'carillon'
import { pulseApp } from './pulseApp.js'

const [, , store = '', log = '', lease = '0'] = argv
await standBy({ app: pulseApp, store, log, leaseMs: Number(lease), onLeading: () => void stdout.write('leading\n') })
