"""Learners of clusters.

- kmeans: `KMeans`
- lloyd: Lloyd's iteration, its starts, improvements and variants
- ground: rows and centers for k-means: numbers, categories, missing values
- choose: the number of clusters of k-means
- mixture: `MixtureModel`
- em: expectation-maximization: rows, settings and steps
- mixture_prior: conjugate priors of mixtures
- hierarchical: `HierarchicalClustering`
- cobweb: `Cobweb`
- spectral: `SpectralClustering`
- graph: graphs of nearest rows, and eigenvectors of their Laplacian
"""
