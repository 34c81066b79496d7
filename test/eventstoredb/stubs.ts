/**
 * The client's own generated stubs and its copy of gRPC, from which the test server is made.
 */
import { createRequire } from 'node:module'
import type * as grpcModule from '@grpc/grpc-js'
import type * as anyModule from 'google-protobuf/google/protobuf/any_pb.js'
import type * as emptyModule from 'google-protobuf/google/protobuf/empty_pb.js'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossipMessages from '@eventstore/db-client/generated/gossip_pb.js'
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import featuresMessages from '@eventstore/db-client/generated/serverfeatures_pb.js'
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import statusMessages from '@eventstore/db-client/generated/status_pb.js'
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streamsMessages from '@eventstore/db-client/generated/streams_pb.js'

const require = createRequire(import.meta.resolve('@eventstore/db-client'))

/** The very copy that the client uses: two of them do not know each other's classes. */
export const grpc = require('@grpc/grpc-js') as typeof grpcModule
export const { Any } = require('google-protobuf/google/protobuf/any_pb.js') as typeof anyModule
export const { Empty } = require('google-protobuf/google/protobuf/empty_pb.js') as typeof emptyModule

export {
  featuresMessages,
  featuresService,
  gossipMessages,
  gossipService,
  sharedMessages,
  statusMessages,
  streamsMessages,
  streamsService,
}
