import { expect } from 'chai'
import { CarillonError } from '../../errors/CarillonError.js'
import { parseEventStoreDbAddress } from './EventStoreDbAddress.js'

describe('The address of an EventStoreDB log', () => {
  for (const option of ['stream=100%', 'stream=%E0%A4%A', 'tlsCAFile=/a%b'])
    it(`is refused with a typed error when ${option} cannot be decoded`, () => {
      expect(() => parseEventStoreDbAddress(`esdb://127.0.0.1:2113?tls=false&${option}`))
        .to.throw(CarillonError, 'cannot be decoded')
        .with.property('code', 'log-address-invalid')
    })
})
