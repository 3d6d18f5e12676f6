"""The operators that a SavedModel may have: those that compute from its inputs and weights.

What reads or writes files, prints, talks to other processes or calls Python is not among them, nor
are operators that are not TensorFlow's own. What computes with numbers, text and images is, whether
or not a task needs it, since the models of users do.
"""

from __future__ import annotations

# What TensorFlow's own functions save and restore the weights with, and nothing else may call.
SAVING = frozenset(("MergeV2Checkpoints", "SaveV2", "ShardedFilename"))
RESTORING = frozenset(("RestoreV2",))

_FLOW = """
Assert Case Const ControlTrigger EnsureShape Enter Exit FakeParam Identity IdentityN If LoopCond
Merge NextIteration NoOp PartitionedCall Placeholder PlaceholderWithDefault PreventGradient
StatefulPartitionedCall StatelessCase StatelessIf StatelessWhile StopGradient Switch While
"""
_STATE = """
AnonymousHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors AssignAddVariableOp
AssignSubVariableOp AssignVariableOp DestroyResourceOp DisableCopyOnRead HashTableV2
LookupTableExportV2 LookupTableFindV2 LookupTableImportV2 LookupTableInsertV2 LookupTableRemoveV2
LookupTableSizeV2 MutableHashTableOfTensorsV2 MutableHashTableV2 ReadVariableOp ResourceGather
ResourceGatherNd ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin
ResourceScatterMul ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin
ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate
ResourceStridedSliceAssign VarHandleOp VariableShape VarIsInitializedOp
"""
_LISTS = """
EmptyTensorList TensorArrayCloseV3 TensorArrayConcatV3 TensorArrayGatherV3 TensorArrayReadV3
TensorArrayScatterV3 TensorArraySizeV3 TensorArraySplitV3 TensorArrayV3 TensorArrayWriteV3
TensorListConcat TensorListConcatLists TensorListConcatV2 TensorListElementShape
TensorListFromTensor TensorListGather TensorListGetItem TensorListLength TensorListPopBack
TensorListPushBack TensorListPushBackBatch TensorListReserve TensorListResize TensorListScatter
TensorListScatterIntoExistingList TensorListScatterV2 TensorListSetItem TensorListSplit
TensorListStack
"""
_ARRAYS = """
BatchToSpace BatchToSpaceND Bitcast BroadcastArgs BroadcastGradientArgs BroadcastTo Bucketize Cast
Concat ConcatOffset ConcatV2 ConjugateTranspose DeepCopy DepthToSpace Diag DiagPart
DynamicPartition DynamicStitch Empty ExpandDims Fill Gather GatherNd GatherV2 InplaceAdd InplaceSub
InplaceUpdate InvertPermutation LinSpace ListDiff LowerBound MatrixBandPart MatrixDiag
MatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 MatrixDiagV2 MatrixDiagV3 MatrixSetDiag
MatrixSetDiagV2 MatrixSetDiagV3 MirrorPad MirrorPadGrad OneHot OnesLike Pack Pad PadV2
ParallelConcat ParallelDynamicStitch Range Rank Reshape Reverse ReverseSequence ReverseV2 Roll
ScatterNd ScatterNdNonAliasingAdd Select SelectV2 SetSize Shape ShapeN Size Slice Snapshot
SpaceToBatch SpaceToBatchND SpaceToDepth Split SplitV Squeeze StridedSlice StridedSliceGrad
TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate
TensorStridedSliceUpdate Tile TopK TopKV2 Transpose Unique UniqueV2 UniqueWithCounts
UniqueWithCountsV2 Unpack UnravelIndex UpperBound Where ZerosLike
"""
_MATH = """
Abs AccumulateNV2 Acos Acosh Add AddN AddV2 All Angle Any ApproximateEqual ApproxTopK ArgMax ArgMin
Asin Asinh Atan Atan2 Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0
BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Betainc Bincount BitwiseAnd BitwiseOr BitwiseXor
Ceil CheckNumerics CheckNumericsV2 ClipByValue Complex ComplexAbs Conj Cos Cosh Cross Cumprod
Cumsum CumulativeLogsumexp Dawsn DenseBincount Digamma Div DivNoNan Equal Erf Erfc Erfinv
EuclideanNorm Exp Expint Expm1 Floor FloorDiv FloorMod FresnelCos FresnelSin Greater GreaterEqual
HistogramFixedWidth Igamma Igammac IgammaGradA Imag InTopK InTopKV2 Inv Invert InvGrad IsFinite
IsInf IsNan L2Loss LeftShift Less LessEqual Lgamma Log Log1p LogicalAnd LogicalNot LogicalOr Max
Maximum Mean Min Minimum Mod Mul MulNoNan Ndtri Neg NextAfter NotEqual NthElement Polygamma
PopulationCount Pow Prod Real RealDiv Reciprocal ReciprocalGrad RightShift Rint Round Rsqrt
RsqrtGrad SegmentMax SegmentMaxV2 SegmentMean SegmentMin SegmentMinV2 SegmentProd SegmentProdV2
SegmentSum SegmentSumV2 Sigmoid SigmoidGrad Sign Sin Sinh SobolSample Spence Sqrt SqrtGrad Square
SquaredDifference Sub Sum Tan Tanh TanhGrad TruncateDiv TruncateMod UnsortedSegmentMax
UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy Xlog1py Xlogy Zeta
"""
_MATRICES = """
BandedTriangularSolve BatchMatMul BatchMatMulV2 BatchMatMulV3 Cholesky CholeskyGrad Eig Einsum FFT
FFT2D FFT3D FFTND IFFT IFFT2D IFFT3D IFFTND IRFFT IRFFT2D IRFFT3D IRFFTND LogMatrixDeterminant Lu
MatMul MatrixDeterminant MatrixExponential MatrixInverse MatrixLogarithm MatrixSolve MatrixSolveLs
MatrixSquareRoot MatrixTriangularSolve Qr RFFT RFFT2D RFFT3D RFFTND SelfAdjointEig SelfAdjointEigV2
Svd TridiagonalMatMul TridiagonalSolve
"""
_NETWORKS = """
AvgPool AvgPool3D AvgPool3DGrad AvgPoolGrad BiasAdd BiasAddGrad BiasAddV1 BlockLSTM BlockLSTMV2
Conv Conv2D Conv2DBackpropFilter Conv2DBackpropFilterV2 Conv2DBackpropInput Conv2DBackpropInputV2
Conv3D Conv3DBackpropFilterV2 Conv3DBackpropInput Conv3DBackpropInputV2 CTCBeamSearchDecoder
CTCGreedyDecoder CTCLoss CTCLossV2 CudnnRNN CudnnRNNV2 CudnnRNNV3 DataFormatDimMap
DataFormatVecPermute DepthwiseConv2dNative DepthwiseConv2dNativeBackpropFilter
DepthwiseConv2dNativeBackpropInput Dilation2D Elu EluGrad FractionalAvgPool FractionalMaxPool
FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 FusedPadConv2D FusedResizeAndPadConv2D
GRUBlockCell IsotonicRegression LeakyRelu LeakyReluGrad LogSoftmax LRN LSTMBlockCell MaxPool
MaxPool3D MaxPool3DGrad MaxPoolGrad MaxPoolGradV2 MaxPoolV2 MaxPoolWithArgmax Relu Relu6 Relu6Grad
ReluGrad Selu SeluGrad Softmax SoftmaxCrossEntropyWithLogits Softplus SoftplusGrad Softsign
SoftsignGrad SparseSoftmaxCrossEntropyWithLogits
"""
_NUMBERS_OF_FEWER_BITS = """
Dequantize FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel
QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4
QuantizeV2 UniformDequantize UniformQuantize UniformQuantizedAdd UniformQuantizedClipByValue
UniformQuantizedConvolution UniformQuantizedConvolutionHybrid UniformQuantizedDot
UniformQuantizedDotHybrid UniformRequantize
"""
_RANDOM = """
Multinomial ParameterizedTruncatedNormal RandomGamma RandomIndexShuffle RandomPoisson
RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt RngReadAndSkip
RngSkip StatefulRandomBinomial StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniform
StatefulUniformFullInt StatefulUniformInt StatelessMultinomial
StatelessParameterizedTruncatedNormal StatelessRandomBinomial StatelessRandomGammaV2
StatelessRandomGammaV3 StatelessRandomGetAlg StatelessRandomGetKeyCounter
StatelessRandomGetKeyCounterAlg StatelessRandomNormal StatelessRandomNormalV2
StatelessRandomPoisson StatelessRandomUniform StatelessRandomUniformFullInt
StatelessRandomUniformFullIntV2 StatelessRandomUniformInt StatelessRandomUniformIntV2
StatelessRandomUniformV2 StatelessSampleDistortedBoundingBox StatelessShuffle
StatelessTruncatedNormal StatelessTruncatedNormalV2 TruncatedNormal
"""
_TEXT = """
AsString DecodeBase64 DecodeCSV DecodePaddedRaw DecodeRaw EditDistance EncodeBase64 ReduceJoin
RegexFullMatch RegexReplace StaticRegexFullMatch StaticRegexReplace StringFormat StringJoin
StringLength StringLower StringNGrams StringSplit StringSplitV2 StringStrip StringToHashBucket
StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Substr UnicodeDecode
UnicodeDecodeWithOffsets UnicodeEncode UnicodeScript UnicodeTranscode UnsortedSegmentJoin
"""
_RAGGED_AND_SPARSE = """
CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor DenseCountSparseOutput DenseToCSRSparseMatrix
DenseToDenseSetOperation DenseToSparseSetOperation RaggedBincount RaggedCountSparseOutput
RaggedCross RaggedFillEmptyRows RaggedGather RaggedRange RaggedTensorFromVariant
RaggedTensorToSparse RaggedTensorToTensor RaggedTensorToVariant SparseAdd SparseBincount
SparseConcat SparseCountSparseOutput SparseCross SparseCrossHashed SparseCrossV2
SparseDenseCwiseAdd SparseDenseCwiseDiv SparseDenseCwiseMul SparseFillEmptyRows SparseMatMul
SparseMatrixAdd SparseMatrixMatMul SparseMatrixMul SparseMatrixSparseMatMul SparseMatrixTranspose
SparseReduceMax SparseReduceMaxSparse SparseReduceSum SparseReduceSumSparse SparseReorder
SparseReshape SparseSegmentMean SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
SparseSegmentSqrtNWithNumSegments SparseSegmentSum SparseSegmentSumWithNumSegments SparseSlice
SparseSoftmax SparseSparseMaximum SparseSparseMinimum SparseSplit SparseTensorDenseAdd
SparseTensorDenseMatMul SparseTensorToCSRSparseMatrix SparseToDense SparseToSparseSetOperation
"""
_IMAGES_AND_SOUND = """
AdjustContrast AdjustContrastv2 AdjustHue AdjustSaturation AudioSpectrogram
CombinedNonMaxSuppression CropAndResize DecodeAndCropJpeg DecodeBmp DecodeGif DecodeImage
DecodeJpeg DecodePng DecodeWav DecodeWebP DrawBoundingBoxesV2 EncodeJpeg EncodeJpegVariableQuality
EncodePng EncodeWav ExtractGlimpse ExtractGlimpseV2 ExtractImagePatches ExtractJpegShape
ExtractVolumePatches HSVToRGB ImageProjectiveTransformV2 ImageProjectiveTransformV3 Mfcc
NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5
NonMaxSuppressionWithOverlaps ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear
ResizeBilinearGrad ResizeNearestNeighbor ResizeNearestNeighborGrad RGBToHSV ScaleAndTranslate
"""
_COMPILED = """
XlaBroadcastHelper XlaConv XlaConvV2 XlaDot XlaDotV2 XlaDynamicSlice XlaDynamicUpdateSlice
XlaEinsum XlaGather XlaKeyValueSort XlaPad XlaReduce XlaReducePrecision XlaReduceWindow
XlaRemoveDynamicDimensionSize XlaScatter XlaSelectAndScatter XlaSelfAdjointEig
XlaSetDynamicDimensionSize XlaSort XlaSvd XlaVariadicReduceV2 XlaVariadicSort
"""

ALLOWED = frozenset(
    " ".join(
        (
            _FLOW,
            _STATE,
            _LISTS,
            _ARRAYS,
            _MATH,
            _MATRICES,
            _NETWORKS,
            _NUMBERS_OF_FEWER_BITS,
            _RANDOM,
            _TEXT,
            _RAGGED_AND_SPARSE,
            _IMAGES_AND_SOUND,
            _COMPILED,
        )
    ).split()
)
